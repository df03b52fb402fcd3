-- {path} serves one request at a time for {first} of request time{others}
--
-- The device is busy most of the time, but has one request or so to work on: disks cannot choose an order, flash
-- cannot use its channels.
--
-- Source: Little 1961, for the mean number of requests at a device; iotrace.
-- Family: disk_io
-- Change: Keep more requests in flight
-- Do: Keep more requests in flight: more threads, asynchronous I/O (io_uring, libaio with a larger iodepth), a larger read-ahead (blockdev --setra).
-- Check: Record again: the mean number of requests in flight is larger, and the run is shorter.
-- Confidence: low. At stake is half of the requests' time, which two at a time would save; a program that needs each answer for its next request cannot ask ahead.
--
-- Thresholds:
--   least_requests  1000  Requests to one device.
--   least_ms        1     Mean latency.
--   least_depth     0.5   Mean number of requests at the device, from which on it counts as busy.
--   most_depth      1.5   The same, up to which the queue is shallow.

with served as (
    select device, count(*) as requests, sum(latency_ns) as latency_ns,
           sum(latency_ns) / nullif(max(time_ns + latency_ns) - min(time_ns), 0) as depth
    from disk_request
    where operation in ('read', 'write') and latency_ns is not null and time_ns is not null
    group by device
)
select disk_name(device) as path, null as process, latency_ns / 1e9 as number, 's' as unit, latency_ns / 2e9 as at_stake_s,
       null as at_stake_bytes
from served
where requests >= $least_requests and latency_ns >= 1e6 * $least_ms * requests
  and depth between $least_depth and $most_depth
