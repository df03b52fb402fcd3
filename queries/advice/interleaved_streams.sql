-- {number} requests continue a stream that others broke, {most} at {path}
--
-- Several sequential streams reach the device in turn, so that it seeks between them and its read-ahead misses.
--
-- Source: iotrace.
-- Family: disk_io
-- Change: Read ahead more in each stream
-- Do: Larger requests and read-ahead for each stream (blockdev --setra), a scheduler that merges (mq-deadline, bfq), or one stream after the other; on RAID, fewer streams per spindle.
-- Check: Record again: runs are longer (iotrace characterize runs_by_length).
-- Confidence: low. On flash it costs little, on disks a seek each.
--
-- Thresholds:
--   least_requests  1000  Such requests to one device.
--   least_percent   20    Their part of its requests.
--   window          32    How many requests back a stream is looked for.

with moved as (
    select device, sum(requests) as all_requests,
           sum(requests) filter (requests_back between 2 and $window) as requests,
           sum(latency_ns) filter (requests_back between 2 and $window) as latency_ns,
           sum(blocks) filter (requests_back between 2 and $window) as blocks
    from continued_request
    group by device
)
select disk_name(disk.path) as path, null as process, requests as number, 'requests' as unit, latency_ns / 1e9 as at_stake_s,
       512 * blocks as at_stake_bytes
from moved
join file as disk on disk.device = moved.device and disk.kind = 'device'
where requests >= greatest($least_requests, $least_percent / 100 * all_requests)
