-- References by operation
--
-- All that the reference stream holds: the requests, and the truncations, deletions and syncs beside them.
--
-- Source: iotrace.
--
-- Columns:
--   operation   string   [name]        read, write, update, truncate, delete or sync.
--   flags       string?  [name]        direct, synchronous or both; missing where neither holds.
--   references  int64    [references]  How many.
--   bytes       int64    [bytes]       What they moved; a sync's length is the range that it concerns, and moves nothing.

select operation, flags, count(*) as "references",
       coalesce(sum(length) filter (operation in ('read', 'write', 'update')), 0) as bytes
from reference
group by operation, flags
order by "references" desc, operation, flags
