-- The load of short windows
--
-- Reads and writes of disks in windows of equal length: a power of ten, not shorter than a step of the clock, so that at
-- most 100,000 windows reach the last request. Windows without any are absent.
--
-- Source: iotrace.
-- Family: disk_io
-- Materialize: yes
--
-- Columns:
--   window    int64  [position]  The window's number, from 0.
--   width_ns  int64  [ns]        Its length.
--   windows   int64  [windows]   How many whole windows the trace has; at least 1.
--   requests  int64  [requests]  Requests that arrive in it.
--   bytes     int64  [bytes]     What they move.

with span as (
    select max(time_ns) + any_value(resolution_ns) as length_ns, any_value(resolution_ns) as resolution_ns
    from moved_disk_request
    cross join clock
    where time_ns is not null
),
width as (
    select greatest(resolution_ns, (10::hugeint ** ceil(log10(greatest(length_ns / 100000, 1))))::bigint) as width_ns,
           length_ns
    from span
    where length_ns is not null
)
select time_ns // width_ns as "window", width_ns, greatest(any_value(length_ns) // width_ns, 1) as windows,
       count(*) as requests, 512 * sum(blocks) as bytes
from moved_disk_request
cross join width
where time_ns is not null
group by "window", width_ns
