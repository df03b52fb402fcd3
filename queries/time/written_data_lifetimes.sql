-- Lifetimes of written data
--
-- How long written data lives, and what ends it: a block (parameter block_bytes) dies when it is overwritten,
-- even in part, when the file is cut off before it, or when the file is deleted. Data that dies young need
-- never reach the disk. Lifetimes fall into bins by powers of two.
--
-- Source: iotrace; Ousterhout et al. 1985 and Baker et al. 1991 measure it so.
--
-- Columns:
--   fate                 string  [name]     overwritten, truncated, deleted or survived (the trace's end).
--   maximum_lifetime_ns  int64?  [ns]       The longest lifetime of the bin; missing for survivors and without time stamps.
--   blocks               int64   [blocks]   Block writes that end so.
--   blocks_percent       double  [percent]  Their share of all block writes.
--   bytes                int64   [bytes]    The bytes that they wrote.
--   bytes_percent        double  [percent]  Their share.
--
-- Shown:
--   fate
--   lifetime up to = maximum_lifetime_ns
--   blocks
--   blocks %       = blocks_percent
--   bytes
--   bytes %        = bytes_percent

select fate, maximum_lifetime_ns, blocks,
       percent_of(blocks, sum(blocks) over ()) as blocks_percent,
       bytes,
       percent_of(bytes, sum(bytes) over ()) as bytes_percent
from block_fate
order by list_position(['overwritten', 'truncated', 'deleted', 'survived'], fate), maximum_lifetime_ns
