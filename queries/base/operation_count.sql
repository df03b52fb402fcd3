-- References by operation
--
-- How many references there are of each operation with the same flags, and what the requests among them move.
--
-- Source: iotrace.
-- Merge: by operation, flags
--
-- Columns:
--   operation   string   [name]        What the reference does; requests of unknown direction count as reads.
--   flags       string?  [name]        What is special about it, as in table reference.
--   references  int64    [references]  How many.
--   bytes       int64    [bytes]       What those that read, write or update move.

select operation, flags, count(*) as "references",
       coalesce(sum(length) filter (operation in ('read', 'write', 'update')), 0) as bytes
from reference
group by operation, flags
