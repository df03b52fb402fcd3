-- Blocks of written files, touch by touch
--
-- One row per request (followed_request) and block (parameter block_bytes) that it touches: what read_after_write and
-- written_data_lifetimes follow. Fails if there are too many blocks (touched_blocks): they would take all memory.
--
-- Source: iotrace.
-- Materialize: yes
--
-- Columns:
--   seq      int64   [position]    The request's place in the stream.
--   time_ns  int64?  [ns]          When it was issued.
--   file     int32   [identifier]  The file.
--   block    int64   [blocks]      The block's number in the file.
--   writes   bool    [truth]       Whether the request writes.
--   bytes    int64   [bytes]       How many of the block's bytes it moves.

with touching as (
    select seq, time_ns, file, writes, start_bytes, end_bytes, unnest(range(first_block, last_block + 1)) as block
    from followed_request
    where (select if(exceeds_limit, error(format(
        '{:,} requests touch {:,} blocks: raise block_bytes (--block) or most_blocks (--budget), which is {:,}',
        requests, blocks, parameter_most_blocks())), true) from touched_blocks)
)
select seq, time_ns, file, block, writes,
       least(end_bytes, (block + 1) * parameter_block_bytes())
           - greatest(start_bytes, block * parameter_block_bytes()) as bytes
from touching
