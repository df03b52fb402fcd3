-- How many blocks are accessed how often
--
-- Blocks of disks, or keys, by the number of accesses: all, and those of one kind. As in view block_reaccess, the pass follows a
-- sample of very many blocks.
--
-- Source: iotrace.
-- Streamed: yes
-- Family: disk_io, key_io
--
-- Columns:
--   operation  string  [name]      all, read, write or unknown: which accesses are counted.
--   accesses   int64   [accesses]  How often.
--   blocks     int64   [blocks]    How many blocks are accessed so often.
--   one_in     int64   [blocks]    1 if all blocks were followed; else one block in this many was, and counts for as many.

with counted as (
    select operation, count(*) as accesses
    from block_access
    group by device, block, operation
    union all
    select 'all', count(*)
    from block_access
    group by device, block
)
select operation, accesses, count(*) as blocks, 1 as one_in
from counted
group by operation, accesses
