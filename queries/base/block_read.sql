-- Reads of written blocks
--
-- Blocks read that the trace wrote before, by how long before: see read_after_write.
--
-- Source: iotrace; section 3.2.3 of Richardson 1994 asks the question.
-- Streamed: yes
--
-- Columns:
--   maximum_interval_ns  int64?  [ns]      The longest interval of the bin (power_of_two); missing without time stamps.
--   block_reads          int64   [blocks]  Blocks read so long after they were written.
--   bytes                int64   [bytes]   Bytes that those reads moved.

with followed as (
    select time_ns, writes, bytes,
           last_value(case when writes then time_ns end ignore nulls) over earlier as written_ns,
           bool_or(writes) over earlier as written_before
    from block_touch
    window earlier as (partition by file, block order by seq rows between unbounded preceding and 1 preceding)
)
select power_of_two(time_ns - written_ns) as maximum_interval_ns, count(*) as block_reads, sum(bytes) as bytes
from followed
where not writes and written_before
group by all
