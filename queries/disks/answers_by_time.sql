-- Latencies and service times
--
-- How long requests took, in bins by powers of two: latency from arrival at a disk to completion, service from the
-- dispatch to the device to completion, call from a call's issue to its return, for calls of the population (parameter
-- population). Only what the trace states; many formats state none of them.
--
-- Source: iotrace.
--
-- Columns:
--   measure             string  [name]      latency, service or call.
--   operation           string  [name]      read, write, update, discard, flush, truncate, delete or sync; unknown if the trace does not state it.
--   maximum_ns          int64   [ns]        The longest time of the bin; the shortest is just above half of it.
--   requests            int64   [requests]  How many.
--   requests_percent    double  [percent]   Their share of those of the measure and operation.
--   cumulative_percent  double  [percent]   The share of those up to here.
--
-- Shown:
--   measure
--   operation
--   time up to   = maximum_ns
--   requests
--   requests %   = requests_percent
--   cumulative % = cumulative_percent

select measure, operation, maximum_ns, requests,
       percent_of(requests, sum(requests) over (partition by measure, operation)) as requests_percent,
       percent_of(sum(requests) over (partition by measure, operation order by maximum_ns),
                  sum(requests) over (partition by measure, operation)) as cumulative_percent
from answer_bin
order by measure, list_position(['read', 'write', 'update', 'discard', 'flush', 'truncate', 'delete', 'sync'], operation), maximum_ns
