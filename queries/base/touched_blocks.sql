-- Blocks that are followed one by one
--
-- One row: how many requests block_touch would follow, and how many blocks (parameter block_bytes) they touch. Beyond
-- 64 blocks for each request and parameter most_blocks more, it follows none.
--
-- Source: iotrace.
--
-- Columns:
--   requests  int64   [requests]  Requests of known place for files and disks that the trace writes.
--   blocks    int64   [blocks]    The blocks that they touch, each as often as it is touched.
--   is_many   bool    [truth]     Whether they are too many to follow.

with touching as (
    select ("offset" + length - 1) // parameter_block_bytes() - "offset" // parameter_block_bytes() + 1 as blocks
    from request
    semi join static_object
        on static_object.file = request.file and static_object.type = request.type and static_object.writes > 0
    where request.type in ('datafile', 'disk') and length between 1 and 2147483648 and "offset" is not null
)
select count(*) as requests, coalesce(sum(blocks), 0)::bigint as blocks,
       coalesce(sum(blocks), 0) > parameter_most_blocks() + 64 * count(*) as is_many
from touching
