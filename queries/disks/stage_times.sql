-- Stages of the block layer
--
-- How long requests are in each stage of Linux's block layer, for traces that show its events (blktrace): queued (Q),
-- request allocated (G), inserted into the scheduler (I), issued to the device (D), completed (C). A request that was merged
-- into another has no Q2G and G2I of its own. Percentiles are the upper bounds of bins of which there are 16 between two
-- powers of two, so that they are at most a 16th too long.
--
-- Source: iotrace; the stages are those of btt.
-- Family: disk_io
--
-- Columns:
--   stage          string   [name]      Q2G, G2I (plugging and merging), I2D (in the scheduler), D2C (at the device), or Q2C (all).
--   operation      string   [name]      read, write, discard or flush; unknown if the trace does not state it.
--   requests       int64    [requests]  Requests with both events.
--   average_ns     double   [ns]        The mean.
--   median_ns      int64    [ns]        Half of them took at most this.
--   p99_ns         int64    [ns]        99 % took at most this.
--   p999_ns        int64    [ns]        99.9 % took at most this.
--   longest_ns     int64    [ns]        The longest.
--   share_percent  double?  [percent]   The stage's time as a share of Q2C of the operation; missing if that is nothing.

with stage as (
    select coalesce(operation, 'unknown') as operation, queued_ns, allocated_ns, inserted_ns, issued_ns, completed_ns,
           unnest([{ stage: 'Q2G', taken_ns: allocated_ns - queued_ns },
                   { stage: 'G2I', taken_ns: inserted_ns - allocated_ns },
                   { stage: 'I2D', taken_ns: issued_ns - inserted_ns },
                   { stage: 'D2C', taken_ns: completed_ns - issued_ns },
                   { stage: 'Q2C', taken_ns: completed_ns - queued_ns }], recursive := true)
    from disk_io
    where coalesce(queued_ns, allocated_ns, inserted_ns, issued_ns) is not null
),
counted as (
    select stage, operation, fine_bin(taken_ns) as maximum_ns, count(*) as requests, sum(taken_ns) as taken_ns,
           max(taken_ns) as longest_ns
    from stage
    where taken_ns >= 0
    group by stage, operation, maximum_ns
),
summed as (
    select *, sum(requests) over (partition by stage, operation order by maximum_ns) as up_to,
           sum(requests) over (partition by stage, operation) as all_requests
    from counted
),
latency as (
    select stage, operation, sum(requests) as requests, sum(taken_ns) as taken_ns,
           least(min(maximum_ns) filter (up_to >= 0.5 * all_requests), max(longest_ns)) as median_ns,
           least(min(maximum_ns) filter (up_to >= 0.99 * all_requests), max(longest_ns)) as p99_ns,
           least(min(maximum_ns) filter (up_to >= 0.999 * all_requests), max(longest_ns)) as p999_ns,
           max(longest_ns) as longest_ns
    from summed
    group by stage, operation
)
select stage, operation, requests, taken_ns / requests as average_ns, median_ns, p99_ns, p999_ns, longest_ns,
       percent_of(taken_ns, max(taken_ns) filter (stage = 'Q2C') over (partition by operation)) as share_percent
from latency
order by list_position(['read', 'write', 'discard', 'flush', 'unknown'], operation),
         list_position(['Q2G', 'G2I', 'I2D', 'D2C', 'Q2C'], stage)
