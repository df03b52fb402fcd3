-- Latency by depth of the queue
--
-- How many requests a disk has when a request arrives, that one included, and how long such requests take (view
-- timed_disk_request), of all disks. Depths are in bins by powers of two. Percentiles are the upper bounds of bins of
-- which there are 16 between two powers of two, so that they are at most a 16th too long.
--
-- Source: iotrace.
-- Family: disk_io
--
-- Columns:
--   maximum_depth       int64   [requests]  The largest depth of the bin; the smallest is just above half of it.
--   requests            int64   [requests]  Requests that find this depth.
--   requests_percent    double  [percent]   Their share of all.
--   cumulative_percent  double  [percent]   The share of those up to here.
--   average_ns          double  [ns]        How long they take on average.
--   median_ns           int64   [ns]        Half of them take at most this.
--   p99_ns              int64   [ns]        99 % take at most this.
--   p999_ns             int64   [ns]        99.9 % take at most this.
--
-- Shown:
--   depth up to  = maximum_depth
--   requests
--   requests %   = requests_percent
--   cumulative % = cumulative_percent
--   mean         = average_ns
--   median       = median_ns
--   p99          = p99_ns
--   p99.9        = p999_ns

with counted as (
    select maximum_depth, maximum_ns, sum(requests) as requests, sum(taken_ns) as taken_ns
    from arrival_depth
    group by maximum_depth, maximum_ns
),
summed as (
    select *, sum(requests) over (partition by maximum_depth order by maximum_ns) as up_to,
           sum(requests) over (partition by maximum_depth) as all_requests
    from counted
),
latency as (
    select maximum_depth, sum(requests) as requests, sum(taken_ns) / sum(requests) as average_ns,
           min(maximum_ns) filter (up_to >= 0.5 * all_requests) as median_ns,
           min(maximum_ns) filter (up_to >= 0.99 * all_requests) as p99_ns,
           min(maximum_ns) filter (up_to >= 0.999 * all_requests) as p999_ns
    from summed
    group by maximum_depth
)
select maximum_depth, requests, percent_of(requests, sum(requests) over ()) as requests_percent,
       percent_of(sum(requests) over (order by maximum_depth), sum(requests) over ()) as cumulative_percent,
       average_ns, median_ns, p99_ns, p999_ns
from latency
order by maximum_depth
