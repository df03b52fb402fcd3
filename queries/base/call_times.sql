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
--   device_s  double?  [s]     How much of total_s the calls waited for a device (see storage_time); missing, like the next three, of calls that are not on storage, and where the recording does not have the requests to disks.
--   queued_s  double?  [s]     For requests that were queued.
--   memory_s  double?  [s]     In reads that found their pages in memory.
--   other_s   double?  [s]     The rest.
--
-- Also:
--   has_waiting  bool  [truth]  Whether rows are of calls of all classes, and not of storage alone.
--   has_untimed  bool  [truth]  Whether some calls of the trace have no time.
--
-- Shown:
--   name
--   calls
--   timed                    if has_untimed
--   total   = total_s with bar
--   net     = net_s
--   mean    = mean_us
--   median  = p50_us
--   p95     = p95_us
--   p99     = p99_us
--   longest = max_us
--   device  = device_s
--   queued  = queued_s
--   memory  = memory_s
--   other   = other_s
--   class                    if has_waiting

with divided as (
    select * from timed_call left join storage_time using (seq)
),
named as (
    select 'call' as "by", call as name, * from divided
    union all
    select 'file', file, * from divided where exists (select 1 from call_file)
    union all
    select 'directory', directory, * from divided where exists (select 1 from call_file)
    union all
    select 'program', program, divided.* from divided join process_name using (process)
    union all
    select 'process', process_name.name, divided.* from divided join process_name using (process)
),
counted as (
    select "by", name, class, count(*) as calls, count(duration_ns) as timed, sum(duration_ns) as total_ns,
           sum(net_ns) as net_ns, sum(cost_ns) as cost_ns,
           avg(duration_ns) as mean_ns, quantile_disc(duration_ns, [0.5, 0.95, 0.99]) as percentile_ns,
           max(duration_ns) as max_ns, sum(device_ns) as device_ns, sum(queued_ns) as queued_ns,
           sum(memory_ns) as memory_ns, sum(other_ns) as other_ns
    from named
    group by "by", name, class
)
select "by", name, calls, total_ns / 1e9 as total_s, mean_ns / 1e3 as mean_us, percentile_ns[1] / 1e3 as p50_us,
       percentile_ns[2] / 1e3 as p95_us, percentile_ns[3] / 1e3 as p99_us, max_ns / 1e3 as max_us,
       if(class = 'unknown', null, class <> 'storage') as waiting, class, timed, net_ns / 1e9 as net_s,
       device_ns / 1e9 as device_s, queued_ns / 1e9 as queued_s, memory_ns / 1e9 as memory_s, other_ns / 1e9 as other_s
from counted
order by list_position(['call', 'file', 'directory', 'program', 'process'], "by"),
         class_order(class), cost_ns desc nulls last, calls desc, name
