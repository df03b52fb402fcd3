-- Longest time without a system call
--
-- The longest time in which no call of any process begins, ends or is under way, if it is at least a hundredth of the
-- trace's: processes compute then, or the machine sleeps, or its clock was set forward. Calls whose length the trace
-- does not record count where they begin.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   since_ns  int64   [ns]       When it begins.
--   pause_ns  int64   [ns]       How long it is.
--   percent   double  [percent]  Its share of the trace's time.
--
-- Shown:
--   start      = since_ns
--   pause      = pause_ns
--   % of trace = percent

with event as (
    select time_ns, time_ns + coalesce(duration_ns, 0) as end_ns from syscall where time_ns is not null
),
whole as (select min(time_ns) as first_ns, max(end_ns) - min(time_ns) as wall_ns from event),
-- a pause is longer than a thousandth of the time, so that what follows it is the first event of its thousandth
thousandth as (
    select min(time_ns) as begins_ns, max(end_ns) as reached_ns
    from event, whole
    group by (time_ns - first_ns)::hugeint * 1000 // greatest(wall_ns, 1)
),
followed as (
    select max(reached_ns) over (order by begins_ns rows between unbounded preceding and 1 preceding) as since_ns, begins_ns
    from thousandth
)
select since_ns, begins_ns - since_ns as pause_ns, percent_of(begins_ns - since_ns, wall_ns) as percent
from followed, whole
where begins_ns - since_ns >= wall_ns / 100 and begins_ns > since_ns
order by pause_ns desc, since_ns
limit 1
