-- Addresses over time
--
-- Where on the busiest disk, the one with most reads and writes, requests start: in at most 64 ranges of equal length from the
-- first block touched to the last, and windows of equal length (parameter windows).
--
-- Source: iotrace.
-- Family: disk_io
--
-- Columns:
--   device       string  [name]      The disk.
--   window       int64   [position]  The window's number, from 0.
--   start_ns     int64   [ns]        When it starts.
--   end_ns       int64   [ns]        When the next one starts.
--   first_bytes  int64   [bytes]     Where on the disk the range begins.
--   end_bytes    int64   [bytes]     The place behind its last byte.
--   reads        int64   [requests]  Reads that start in the range and arrive in the window.
--   requests     int64   [requests]  All requests that do.
--   bytes        int64   [bytes]     What they move.
--
-- Shown:
--   device
--   window
--   start = start_ns
--   end   = end_ns
--   from  = first_bytes
--   to    = end_bytes
--   reads
--   requests
--   bytes

with busiest as (
    select device, min(lbn) as first_lbn, max(lbn + blocks) as end_lbn
    from moved_disk_request
    where time_ns is not null
    group by device
    order by count(*) desc, device
    limit 1
),
divided as (
    -- ranges begin at multiples of 4 KB
    select device, first_lbn // 8 * 8 as first_lbn, 8 * greatest(ceil((end_lbn - first_lbn // 8 * 8) / 512), 1)::bigint as width
    from busiest
),
placed as (
    select time_ns // width_ns as "window", width_ns, device, first_lbn + (lbn - first_lbn) // width * width as from_lbn, width,
           operation, blocks
    from moved_disk_request
    join divided using (device)
    cross join call_window
    where time_ns is not null
),
counted as (
    select device, "window", width_ns, from_lbn, width, count(*) filter (operation = 'read') as reads,
           count(*) as requests, sum(blocks) as blocks
    from placed
    group by all
)
select coalesce(file.path, counted.device::varchar) as device, "window", "window" * width_ns as start_ns, ("window" + 1) * width_ns as end_ns,
       512 * from_lbn as first_bytes, 512 * (from_lbn + width) as end_bytes, reads, requests, 512 * blocks as bytes
from counted
left join file on file.device = counted.device and file.kind = 'device'
order by "window", first_bytes
