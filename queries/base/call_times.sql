-- Time in calls
--
-- How long calls took, by call, file, directory, program and process, each apart by class: storage first, and what took
-- longest first. The times of processes that ran at once add up to more than the clock's. Percentiles are values that
-- occur. There are no rows of files and directories where a store does not say what calls worked on. Calls whose time
-- the trace does not record are counted in calls, but have no part in the times.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   by       string   [name]   call, file, directory, program or process.
--   name     string   [name]   Which one (for files and directories see timed_call).
--   calls    int64    [calls]  How many calls.
--   total_s  double?  [s]      How long they took together, as recorded; missing, like the next five, if none has a time.
--   mean_us  double?  [us]     The mean.
--   p50_us   double?  [us]     Half of them took at most this.
--   p95_us   double?  [us]     95 % took at most this.
--   p99_us   double?  [us]     99 % took at most this.
--   max_us   double?  [us]     The longest.
--   waiting  bool?    [truth]  False for storage, true for what is not; missing if the trace does not show which.
--   class    string   [name]   storage, waiting, other or unknown.
--   timed    int64    [calls]  How many of the calls have a time.
--   net_s    double?  [s]      How much of total_s is not the tracer's (see timed_call); missing where that is not known.
--
-- Also:
--   has_waiting  bool  [truth]  Whether rows are of calls of all classes, and not of storage alone.
--   has_untimed  bool  [truth]  Whether some calls of the trace have no time.
--
-- Shown:
--   name
--   calls
--   timed                    if has_untimed
--   total   = total_s
--   net     = net_s
--   mean    = mean_us
--   median  = p50_us
--   p95     = p95_us
--   p99     = p99_us
--   longest = max_us
--   class                    if has_waiting

with named as (
    select 'call' as "by", call as name, class, duration_ns, net_ns, cost_ns from timed_call
    union all
    select 'file', file, class, duration_ns, net_ns, cost_ns from timed_call where exists (select 1 from call_file)
    union all
    select 'directory', directory, class, duration_ns, net_ns, cost_ns from timed_call where exists (select 1 from call_file)
    union all
    select 'program', program, class, duration_ns, net_ns, cost_ns from timed_call join process_name using (process)
    union all
    select 'process', process_name.name, class, duration_ns, net_ns, cost_ns from timed_call join process_name using (process)
),
counted as (
    select "by", name, class, count(*) as calls, count(duration_ns) as timed, sum(duration_ns) as total_ns,
           sum(net_ns) as net_ns, sum(cost_ns) as cost_ns,
           avg(duration_ns) as mean_ns, quantile_disc(duration_ns, [0.5, 0.95, 0.99]) as percentile_ns,
           max(duration_ns) as max_ns
    from named
    group by "by", name, class
)
select "by", name, calls, total_ns / 1e9 as total_s, mean_ns / 1e3 as mean_us, percentile_ns[1] / 1e3 as p50_us,
       percentile_ns[2] / 1e3 as p95_us, percentile_ns[3] / 1e3 as p99_us, max_ns / 1e3 as max_us,
       if(class = 'unknown', null, class <> 'storage') as waiting, class, timed, net_ns / 1e9 as net_s
from counted
order by list_position(['call', 'file', 'directory', 'program', 'process'], "by"),
         class_order(class), cost_ns desc nulls last, calls desc, name
