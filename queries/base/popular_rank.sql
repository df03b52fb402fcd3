-- Blocks by popularity
--
-- Numbers of accesses to blocks or keys (view block_popularity), most first, with the ranks of the blocks that have them.
--
-- Source: iotrace.
-- Family: disk_io, key_io
--
-- Columns:
--   operation        string  [name]      all, read, write or unknown: which accesses are counted.
--   accesses         int64   [accesses]  How often each of these blocks is accessed.
--   blocks           int64   [blocks]    How many there are.
--   last_rank        int64   [position]  The rank of the last of them, from 1.
--   accesses_before  int64   [accesses]  Accesses to all blocks before them.
--   all_blocks       int64   [blocks]    All blocks with such accesses.
--   all_accesses     int64   [accesses]  All accesses to them.
--   one_in           int64   [blocks]    As in view block_popularity.

select operation, accesses, blocks,
       sum(blocks) over (partition by operation order by accesses desc) as last_rank,
       sum(accesses * blocks) over (partition by operation order by accesses desc) - accesses * blocks as accesses_before,
       sum(blocks) over (partition by operation) as all_blocks,
       sum(accesses * blocks) over (partition by operation) as all_accesses, one_in
from block_popularity
