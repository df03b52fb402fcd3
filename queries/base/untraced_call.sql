-- Calls without their tracer
--
-- One row per call, class of its time (see timed_call), and size of what it moves (the classes of table 3.5), of recordings
-- that measured what the tracer adds (tracing_overhead()): a kind of call takes its median less the median that the
-- tracer adds, and a call that is longer than that and the 99th percentile of what the tracer adds takes what exceeds
-- them, too, by the share of such time that is more than the tracer's own long calls explain (their mean, and two standard
-- errors). On which processors strace and the program run, and so what it adds, differs between the recording and the
-- measurement after it. Calls of the trace itself that take no time untraced (lseek, dup, fcntl without locks) show it,
-- too: 200 of them say it, and of fewer the larger of both is taken off.
--
-- Source: iotrace.
-- Materialize: yes
-- Family: syscall
--
-- Columns:
--   call           string  [name]   The system call's name.
--   class          string  [name]   As in timed_call.
--   size           int64   [bytes]  The upper bound of the size class, 0 for the largest; -1 for calls that move nothing.
--   usual_ns       double  [ns]     How long the median call takes.
--   inside_p99_ns  double  [ns]     The 99th percentile of what the tracer adds.
--   share          double  [ratio]  How much of what a call takes beyond both is not the tracer's.

with sized as (
    select call, class, duration_ns, if(bytes is null, -1, coalesce(size_class_bound(bytes), 0)) as size
    from classed_call
    where tracing_overhead() is not null
),
trivial as ( -- 30 give a median, 200 a tail
    select count(*) as calls, median(duration_ns) as median_ns, quantile_disc(duration_ns, 0.99) as p99_ns,
           avg(greatest(duration_ns - tracing_overhead().inside_p99_ns, 0)) as tail_ns
    from syscall
    where duration_ns is not null
      and (call in ('dup', 'lseek') and not regexp_matches(coalesce(flags, ''), 'HOLE|DATA')
           or call in ('fcntl', 'fcntl64') and not contains(coalesce(flags, ''), 'LK'))
),
tracer as ( -- a median above the measured 99th percentile is not the tracer's
    select case when calls < 30 then of_loop.inside_ns
                when calls < 200 then greatest(of_loop.inside_ns, least(median_ns, of_loop.inside_p99_ns))
                else least(median_ns, of_loop.inside_p99_ns) end as inside_ns,
           greatest(of_loop.inside_p99_ns, if(calls >= 200, p99_ns, 0)) as inside_p99_ns,
           greatest(of_loop.tail_ns, if(calls >= 200, trivial.tail_ns, 0)) as tail_ns,
           of_loop.tail_deviation_ns, of_loop.measured_calls
    from trivial, (select unnest(tracing_overhead())) as of_loop
    where tracing_overhead() is not null
),
kind as (
    select call, class, size, greatest(median(duration_ns) - any_value(inside_ns), 0) as usual_ns
    from sized, tracer
    where duration_ns is not null
    group by call, class, size
),
beyond as (
    select call, class, size, count(*) as calls,
           sum(greatest(duration_ns - usual_ns - inside_p99_ns, 0)) as beyond_ns
    from sized join kind using (call, class, size), tracer
    where duration_ns is not null
    group by call, class, size
),
share as ( -- of what is beyond, how much is more than the tracer explains
    select call, class, size,
           coalesce(greatest(1 - (calls * tail_ns + 2 * tail_deviation_ns * sqrt(calls + calls * calls / measured_calls))
                                 / nullif(beyond_ns, 0), 0), 0) as share
    from beyond, tracer
)
select call, class, size, usual_ns, inside_p99_ns, share
from kind join share using (call, class, size), tracer
