-- Requests that continue an earlier one
--
-- Reads and writes of disks by how many reads and writes of the same disk ago the last one ended where they start, up to
-- 32. Requests that name no block or have no length are left out.
--
-- Source: iotrace.
-- Streamed: yes
-- Family: disk_io
--
-- Columns:
--   device         int32   [identifier]       The disk.
--   requests_back  int64?  [requests]         How many requests ago, from 1; missing for those that continue none.
--   requests       int64   [requests]         How many requests.
--   blocks         int64   [512-byte blocks]  What they move.
--   latency_ns     int64?  [ns]               How long they took; missing if none has a latency.

with moved as (
    select device, lbn, lbn + blocks as ends_at, latency_ns, blocks,
           row_number() over (partition by device order by seq) as place
    from disk_io
    where operation in ('read', 'write') and lbn is not null and blocks > 0
),
continued as (
    select moved.device, moved.place, min(moved.place - earlier.place) as requests_back
    from moved
    join moved as earlier on earlier.device = moved.device and earlier.ends_at = moved.lbn
        and moved.place - earlier.place between 1 and 32
    group by moved.device, moved.place
)
select device, requests_back, count(*) as requests, sum(blocks) as blocks, sum(latency_ns) as latency_ns
from moved
left join continued using (device, place)
group by device, requests_back
