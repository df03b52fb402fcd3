-- Reads after writes
--
-- How long after a block of a file was last written it is read: data that comes back soon is worth keeping in
-- the cache when it is written. Blocks are of parameter block_bytes; intervals fall into bins by powers of
-- two. Blocks read that the trace never wrote before are left out.
--
-- Source: iotrace; section 3.2.3 of Richardson 1994 asks the question.
--
-- Columns:
--   maximum_interval_ns  int64?  [ns]       The longest interval of the bin; missing without time stamps.
--   block_reads          int64   [blocks]   Blocks read so long after they were written.
--   block_reads_percent  double  [percent]  Their share.
--   cumulative_percent   double  [percent]  The share of those up to here.
--   bytes                int64   [bytes]    Bytes that those reads moved.
--
-- Shown:
--   interval up to = maximum_interval_ns
--   blocks read    = block_reads
--   blocks read %  = block_reads_percent
--   cumulative %   = cumulative_percent
--   bytes

select maximum_interval_ns, block_reads,
       percent_of(block_reads, sum(block_reads) over ()) as block_reads_percent,
       percent_of(sum(block_reads) over (order by maximum_interval_ns), sum(block_reads) over ())
           as cumulative_percent,
       bytes
from block_read
order by maximum_interval_ns
