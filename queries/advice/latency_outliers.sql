-- {number} requests take much longer than the rest, {most} at {path}
--
-- A few requests take tens of times as long as the typical one: error recovery, cleaning within the device,
-- throttling, or a full queue.
--
-- Source: iotrace.
-- Family: disk_io
-- Do: Look at what happens then: smartctl and the kernel log for errors, flushes and discards nearby, a second volume on the same device, the scheduler (mq-deadline, bfq) and its limits.
-- Check: Record again: p99.9 comes near the median (iotrace characterize answer_times).
-- Confidence: medium. The time is exact: what these requests took beyond the median.
--
-- Thresholds:
--   least_requests  1000  Requests to one device.
--   least_factor    20    Times the median.

with judged as (
    select device, latency_ns, median(latency_ns) over (partition by device) as median_ns,
           quantile_disc(latency_ns, 0.999) over (partition by device) as tail_ns, count(*) over (partition by device) as requests
    from disk_request
    where operation in ('read', 'write') and latency_ns is not null
)
select device as path, null as process, count(*) as number, 'requests' as unit,
       sum(latency_ns - median_ns) / 1e9 as at_stake_s, null as at_stake_bytes
from judged
where requests >= $least_requests and tail_ns >= $least_factor * median_ns and latency_ns >= $least_factor * median_ns
group by device
