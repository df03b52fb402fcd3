-- Stages of the block layer
--
-- How long requests are in each stage of Linux's block layer, for traces that show its events (blktrace): queued (Q),
-- request allocated (G), inserted into the scheduler (I), issued to the device (D), completed (C). A request that was merged
-- into another has no Q2G and G2I of its own. Percentiles are values that occur.
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
--
-- Shown:
--   stage
--   operation
--   requests
--   mean     = average_ns
--   median   = median_ns
--   p99      = p99_ns
--   p99.9    = p999_ns
--   longest  = longest_ns
--   % of Q2C = share_percent

with stage as (
    select coalesce(operation, 'unknown') as operation,
           unnest([{ stage: 'Q2G', taken_ns: allocated_ns - queued_ns },
                   { stage: 'G2I', taken_ns: inserted_ns - allocated_ns },
                   { stage: 'I2D', taken_ns: issued_ns - inserted_ns },
                   { stage: 'D2C', taken_ns: completed_ns - issued_ns },
                   { stage: 'Q2C', taken_ns: completed_ns - queued_ns }], recursive := true)
    from disk_io
    where coalesce(queued_ns, allocated_ns, inserted_ns, issued_ns) is not null
)
select stage, operation, count(*) as requests, avg(taken_ns) as average_ns,
       quantile_disc(taken_ns, 0.5) as median_ns,
       quantile_disc(taken_ns, 0.99) as p99_ns,
       quantile_disc(taken_ns, 0.999) as p999_ns,
       max(taken_ns) as longest_ns,
       percent_of(sum(taken_ns), max(sum(taken_ns)) filter (stage = 'Q2C') over (partition by operation))
           as share_percent
from stage
where taken_ns >= 0
group by stage, operation
order by list_position(['read', 'write', 'discard', 'flush', 'unknown'], operation),
         list_position(['Q2G', 'G2I', 'I2D', 'D2C', 'Q2C'], stage)
