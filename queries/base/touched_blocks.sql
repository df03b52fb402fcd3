-- Blocks that are followed one by one
--
-- One row: how many requests block_touch would follow, and how many blocks (parameter block_bytes) they touch. Beyond
-- 64 blocks for each request and parameter most_blocks more, it follows none.
--
-- Source: iotrace.
--
-- Columns:
--   requests       int64   [requests]  Requests whose blocks are followed (followed_request).
--   blocks         int64   [blocks]    The blocks that they touch, each as often as it is touched.
--   exceeds_limit  bool    [truth]     Whether they are too many to follow.

with touching as (
    select last_block - first_block + 1 as blocks from followed_request
)
select count(*) as requests, coalesce(sum(blocks), 0)::bigint as blocks,
       coalesce(sum(blocks), 0) > parameter_most_blocks() + 64 * count(*) as exceeds_limit
from touching
