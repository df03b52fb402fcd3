-- Latencies and service times in one table
--
-- Mean and percentiles of how long requests took, by operation: latency from arrival at a disk to completion, service
-- from the dispatch to the device to completion, call from a call's issue to its return, for calls of the population
-- (parameter population). Percentiles are values that occur.
--
-- Source: iotrace.
--
-- Columns:
--   measure     string  [name]      latency, service or call.
--   operation   string  [name]      read, write, update, discard, flush, truncate, delete or sync; unknown if the trace does not state it.
--   requests    int64   [requests]  Requests for which the trace has it.
--   average_ns  double  [ns]        The mean.
--   median_ns   int64   [ns]        Half of them took at most this.
--   p95_ns      int64   [ns]        95 % took at most this.
--   p99_ns      int64   [ns]        99 % took at most this.
--   p999_ns     int64   [ns]        99.9 % took at most this.
--   longest_ns  int64   [ns]        The longest.
--
-- Shown:
--   measure
--   operation
--   requests
--   mean    = average_ns
--   median  = median_ns
--   p95     = p95_ns
--   p99     = p99_ns
--   p99.9   = p999_ns
--   longest = longest_ns

with measured as (
    select measure, operation, count(*) as requests, avg(taken_ns) as average_ns,
           quantile_disc(taken_ns, [0.5, 0.95, 0.99, 0.999]) as percentile_ns, max(taken_ns) as longest_ns
    from timed_answer
    where taken_ns is not null
    group by measure, operation
)
select measure, coalesce(operation, 'unknown') as operation, requests, average_ns, percentile_ns[1] as median_ns,
       percentile_ns[2] as p95_ns, percentile_ns[3] as p99_ns, percentile_ns[4] as p999_ns, longest_ns
from measured
order by measure, list_position(['read', 'write', 'update', 'discard', 'flush', 'truncate', 'delete', 'sync'], operation)
