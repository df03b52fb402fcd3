-- References by operation
--
-- All references of the stream: requests, truncations, deletions and syncs. If the trace does not record directions,
-- the operation of what the stream takes for reads is unknown.
--
-- Source: iotrace.
--
-- Columns:
--   operation   string   [name]        read, write, update, truncate, delete or sync; or unknown.
--   flags       string?  [name]        direct, synchronous or both; missing if neither holds.
--   references  int64    [references]  How many.
--   bytes       int64    [bytes]       What they moved; a sync's length is the range that it concerns, and moves nothing.
--
-- Shown:
--   operation
--   flags
--   references
--   bytes

select if(undirected > 0 and operation_count.operation = 'read', 'unknown', operation_count.operation) as operation, flags,
       sum("references") as "references", sum(bytes) as bytes
from operation_count
cross join undirected
group by all
order by "references" desc, operation, flags
