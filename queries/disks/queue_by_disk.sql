-- Queues of disks
--
-- How deep the queue of each disk is: how many requests are at the disk on average over the whole trace, and how many a
-- request finds when it arrives, that one included (view timed_disk_request). The deepest queue comes first, by p99_depth
-- and then by average_depth. Depths that requests find are in bins by powers of two: each is at most twice the real one.
--
-- Source: iotrace; the average is by Little's law (1961).
-- Family: disk_io
--
-- Columns:
--   device         string   [name]      The disk.
--   requests       int64    [requests]  Requests to it of which the trace has the time.
--   average_depth  double?  [requests]  Their times added up, divided by the time from the first arrival to the last completion at any disk.
--   median_depth   int64    [requests]  Half of the requests find at most this depth.
--   p99_depth      int64    [requests]  99 % find at most this.
--   maximum_depth  int64    [requests]  All find at most this.
--
-- Shown:
--   device
--   requests
--   mean depth    = average_depth
--   median up to  = median_depth
--   p99 up to     = p99_depth
--   largest up to = maximum_depth

with found as (
    select device, maximum_depth, sum(requests) as requests, sum(taken_ns) as taken_ns
    from arrival_depth
    group by device, maximum_depth
),
summed as (
    select *, sum(requests) over (partition by device order by maximum_depth) as up_to,
           sum(requests) over (partition by device) as all_requests
    from found
),
span as (
    select max(time_ns + taken_ns) - min(time_ns) as length_ns from timed_disk_request
)
select file.path as device, sum(requests) as requests, ratio_of(sum(taken_ns), any_value(length_ns)) as average_depth,
       min(maximum_depth) filter (up_to >= 0.5 * all_requests) as median_depth,
       min(maximum_depth) filter (up_to >= 0.99 * all_requests) as p99_depth, max(maximum_depth) as maximum_depth
from summed
join file on file.device = summed.device and file.kind = 'device'
cross join span
group by file.path
order by p99_depth desc, average_depth desc, file.path
