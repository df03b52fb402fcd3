-- {number} requests continue a stream that others broke, {most} at {path}
--
-- Several sequential streams reach the device in turn, so that it seeks between them and its read-ahead misses.
--
-- Source: iotrace.
-- Family: disk_io
-- Do: Larger requests and read-ahead for each stream (blockdev --setra), a scheduler that merges (mq-deadline, bfq), or one stream after the other; on RAID, fewer streams per spindle.
-- Check: Record again: runs are longer (iotrace characterize runs_by_length).
-- Confidence: low. On flash it costs little, on disks a seek each.
--
-- Thresholds:
--   least_requests  1000  Such requests to one device.
--   least_percent   20    Their part of its requests.
--   window          32    How many requests back a stream is looked for.

with moved as (
    select device, lbn, lbn + blocks as ends_at, latency_ns, blocks,
           row_number() over (partition by device order by seq) as place,
           lag(lbn + blocks) over (partition by device order by seq) as ended_before
    from disk_request
    where operation in ('read', 'write') and lbn is not null and blocks > 0
),
continued as (
    select distinct moved.device, moved.place
    from moved
    join moved as earlier on earlier.device = moved.device and earlier.ends_at = moved.lbn
        and moved.place - earlier.place between 2 and $window
    where moved.lbn is distinct from moved.ended_before
)
select device as path, null as process, count(continued.place) as number, 'requests' as unit,
       sum(latency_ns) filter (continued.place is not null) / 1e9 as at_stake_s,
       512 * sum(blocks) filter (continued.place is not null) as at_stake_bytes
from moved
left join continued using (device, place)
group by device
having count(continued.place) >= greatest($least_requests, $least_percent / 100 * count(*))
