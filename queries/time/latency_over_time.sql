-- Latencies over time
--
-- How long calls on files, directories and disks (class storage of view timed_call), requests to disks, and calls of
-- parallel programs on files took, in windows of equal length (parameter windows) and bins of latencies by powers of two.
-- Requests count from arrival to completion, or from their dispatch where the trace records no arrival at all. What the
-- trace records no time of is left out; one that begins in a window counts there, and one from before the first event,
-- where a clock was set back, in the first.
--
-- Source: iotrace; the drawing is Gregg's latency heat map (2010).
--
-- Columns:
--   window      int64   [position]  The window's number, from 0.
--   start_ns    int64   [ns]        When it starts.
--   end_ns      int64   [ns]        When the next one starts.
--   maximum_ns  int64   [ns]        The longest time of the bin; the shortest is just above half of it.
--   calls       int64   [calls]     Calls or requests of that length that begin in the window.
--   total_s     double  [s]         How long they took together.
--
-- Shown:
--   window
--   start         = start_ns
--   end           = end_ns
--   latency up to = maximum_ns
--   calls
--   total         = total_s

with timed as (
    select time_ns, duration_ns as taken_ns from timed_call where class = 'storage'
    union all
    select time_ns, if(exists (select 1 from disk_io where latency_ns is not null), latency_ns, service_ns) from disk_io
    union all
    select time_ns, duration_ns from parallel_io where operation not in ('barrier', 'compute', 'list_io')
)
select greatest(time_ns, 0) // width_ns as "window", "window" * width_ns as start_ns, ("window" + 1) * width_ns as end_ns,
       power_of_two(taken_ns) as maximum_ns, count(*) as calls, sum(taken_ns) / 1e9 as total_s
from timed
cross join call_window
where time_ns is not null and taken_ns is not null
group by "window", width_ns, maximum_ns
order by "window", maximum_ns
