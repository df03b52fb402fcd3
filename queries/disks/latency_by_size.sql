-- Latency by size of the request
--
-- How long requests take (view timed_disk_request) by operation and by size in bins of powers of two. Percentiles are the
-- upper bounds of bins of which there are 16 between two powers of two, so that they are at most a 16th too long.
--
-- Source: iotrace.
-- Family: disk_io
--
-- Columns:
--   operation           string  [name]      read, write, discard or flush; unknown if the trace does not state it.
--   maximum_size_bytes  int64   [bytes]     The largest size of the bin; the smallest is just above half of it.
--   requests            int64   [requests]  How many.
--   average_ns          double  [ns]        The mean.
--   median_ns           int64   [ns]        Half of them took at most this.
--   p99_ns              int64   [ns]        99 % took at most this.
--   p999_ns             int64   [ns]        99.9 % took at most this.
--   longest_ns          int64   [ns]        The longest.
--
-- Shown:
--   operation
--   size up to = maximum_size_bytes
--   requests
--   mean       = average_ns
--   median     = median_ns
--   p99        = p99_ns
--   p99.9      = p999_ns
--   longest    = longest_ns

with counted as (
    select latency_size_bin.*
    from latency_size_bin
    cross join measured_latency
    where measure = if(latencies > 0, 'latency', 'service')
),
summed as (
    select *, sum(requests) over (own order by maximum_ns) as up_to, sum(requests) over own as all_requests
    from counted
    window own as (partition by operation, maximum_size_bytes)
)
select operation, maximum_size_bytes, sum(requests) as requests, sum(taken_ns) / sum(requests) as average_ns,
       least(min(maximum_ns) filter (up_to >= 0.5 * all_requests), max(longest_ns)) as median_ns,
       least(min(maximum_ns) filter (up_to >= 0.99 * all_requests), max(longest_ns)) as p99_ns,
       least(min(maximum_ns) filter (up_to >= 0.999 * all_requests), max(longest_ns)) as p999_ns,
       max(longest_ns) as longest_ns
from summed
group by operation, maximum_size_bytes
order by list_position(['read', 'write', 'discard', 'flush', 'unknown'], operation), maximum_size_bytes
