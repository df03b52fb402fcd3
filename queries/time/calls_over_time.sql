-- Calls and bytes over time
--
-- What programs do as the trace proceeds, in windows of equal length (parameter windows): how many calls begin, how
-- many of them on files, directories and disks (class storage of view timed_call), how long those take, and what those
-- read and write. A call counts in the window in which it begins, and one from before the first event, where a clock was
-- set back, in the first. Windows in which nothing happens are zero, not missing.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   window         int64    [position]  The window's number, from 0.
--   start_ns       int64    [ns]        When it starts.
--   end_ns         int64    [ns]        When the next one starts.
--   calls          int64    [calls]     Calls that begin in it.
--   storage_calls  int64    [calls]     Of these, storage calls.
--   storage_s      double?  [s]         How long those take together, added up over all threads; missing if none has a time.
--   bytes_read     int64    [bytes]     What those read.
--   bytes_written  int64    [bytes]     What those write.
--
-- Shown:
--   window
--   start        = start_ns
--   end          = end_ns
--   calls
--   storage calls
--   storage time = storage_s
--   bytes read
--   bytes written

with counted as (
    select greatest(time_ns, 0) // width_ns as "window", count(*) as calls,
           count(*) filter (class = 'storage') as storage_calls,
           sum(cost_ns) filter (class = 'storage') / 1e9 as storage_s,
           least(coalesce(sum(bytes) filter (class = 'storage' and kind = 'read'), 0), 9223372036854775807) as bytes_read,
           least(coalesce(sum(bytes) filter (class = 'storage' and kind = 'write'), 0), 9223372036854775807) as bytes_written
    from timed_call
    left join call_kind using (call)
    cross join call_window
    where time_ns is not null
    group by all
),
complete as (
    select unnest(range(windows)) as "window", width_ns from call_window where windows is not null
)
select complete."window", complete."window" * width_ns as start_ns, (complete."window" + 1) * width_ns as end_ns,
       coalesce(calls, 0) as calls, coalesce(storage_calls, 0) as storage_calls, storage_s,
       coalesce(bytes_read, 0) as bytes_read, coalesce(bytes_written, 0) as bytes_written
from complete
left join counted using ("window")
order by complete."window"
