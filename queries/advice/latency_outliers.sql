-- {number} requests take much longer than the rest, {most} at {path}
--
-- A few requests take tens of times as long as the typical one: error recovery, cleaning within the device,
-- throttling, or a full queue.
--
-- Source: iotrace.
-- Family: disk_io
-- Change: Find what delays the slow requests
-- Do: Look at what happens then: smartctl and the kernel log for errors, flushes and discards nearby, a second volume on the same device, the scheduler (mq-deadline, bfq) and its limits.
-- Check: Record again: p99.9 comes near the median (iotrace characterize answer_times).
-- Confidence: medium. The time is exact: what these requests took beyond the median.
--
-- Thresholds:
--   least_requests  1000  Requests to one device.
--   least_factor    20    Times the median.

with answered as (
    select device, latency_ns from disk_io where operation in ('read', 'write') and latency_ns is not null
),
usual as (
    select device, median(latency_ns) as median_ns, quantile_disc(latency_ns, 0.999) as tail_ns, count(*) as requests
    from answered
    group by device
)
select disk_name(disk.path) as path, null as process, count(*) as number, 'requests' as unit,
       sum(latency_ns - median_ns) / 1e9 as at_stake_s, null as at_stake_bytes
from usual
join answered on answered.device = usual.device and latency_ns >= $least_factor * median_ns
join file as disk on disk.device = usual.device and disk.kind = 'device'
where requests >= $least_requests and tail_ns >= $least_factor * median_ns
group by disk.device, disk.path
