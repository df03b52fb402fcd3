-- Load and queue of disks over time
--
-- What all disks are asked in windows of equal length (parameter windows), and how many requests are at the disks on average:
-- the time that requests spend there in the window (view timed_disk_request), over its length. Requests and bytes count in
-- the window in which they arrive.
--
-- Source: iotrace; the depth follows Little (1961).
-- Family: disk_io
--
-- Columns:
--   window           int64    [position]  The window's number, from 0.
--   start_ns         int64    [ns]        When it starts.
--   end_ns           int64    [ns]        When the next one starts.
--   reads            int64    [requests]  Reads that arrive in it.
--   writes           int64    [requests]  Writes.
--   others           int64    [requests]  All others; if the trace states no operations, these are all.
--   bytes_read       int64    [bytes]     What the reads move.
--   bytes_written    int64    [bytes]     What the writes move.
--   bytes_of_others  int64    [bytes]     What requests of unknown operation move.
--   depth            double?  [requests]  Requests at the disks, on average; missing if the trace does not record how long requests take.
--
-- Shown:
--   window
--   start       = start_ns
--   end         = end_ns
--   reads
--   writes
--   others
--   bytes read
--   bytes written
--   bytes of others
--   queue depth = depth

with arrived as (
    select time_ns // width_ns as "window", count(*) filter (operation = 'read') as reads,
           count(*) filter (operation = 'write') as writes,
           count(*) filter (operation is null or operation not in ('read', 'write')) as others,
           512 * sum(blocks) filter (operation = 'read') as bytes_read,
           512 * sum(blocks) filter (operation = 'write') as bytes_written,
           512 * sum(blocks) filter (operation is null) as bytes_of_others
    from disk_io
    cross join call_window
    where time_ns is not null
    group by "window"
),
change as (
    -- requests in the system, and for how much of the window those are that come or go in it
    select time_ns // width_ns as "window", count(*) as requests, sum(width_ns - time_ns % width_ns) as inside_ns
    from timed_disk_request
    cross join call_window
    group by "window"
    union all
    select (time_ns + taken_ns) // width_ns, -count(*), -sum(width_ns - (time_ns + taken_ns) % width_ns)
    from timed_disk_request
    cross join call_window
    group by all
),
changed as (
    select "window", sum(requests) as requests, sum(inside_ns) as inside_ns from change group by "window"
),
complete as (
    select unnest(range(windows)) as "window", width_ns from call_window where exists (from disk_io where time_ns is not null)
),
timed as (
    select count(*) > 0 as is_timed from timed_disk_request
)
select "window", "window" * width_ns as start_ns, ("window" + 1) * width_ns as end_ns,
       coalesce(reads, 0) as reads, coalesce(writes, 0) as writes, coalesce(others, 0) as others,
       coalesce(bytes_read, 0) as bytes_read, coalesce(bytes_written, 0) as bytes_written,
       coalesce(bytes_of_others, 0) as bytes_of_others,
       if(is_timed, coalesce(sum(requests) over before, 0) + coalesce(inside_ns, 0) / width_ns, null) as depth
from complete
left join arrived using ("window")
left join changed using ("window")
cross join timed
window before as (order by "window" rows between unbounded preceding and 1 preceding)
order by "window"
