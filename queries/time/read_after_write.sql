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

with followed as (
    select time_ns, writes, bytes,
           last_value(case when writes then time_ns end ignore nulls) over earlier as written_ns,
           bool_or(writes) over earlier as written_before
    from block_touch
    window earlier as (partition by file, block order by seq rows between unbounded preceding and 1 preceding)
),
counted as (
    select power_of_two(time_ns - written_ns) as maximum_interval_ns,
           count(*) as block_reads, sum(bytes) as bytes
    from followed
    where not writes and written_before
    group by all
)
select maximum_interval_ns, block_reads,
       percent_of(block_reads, sum(block_reads) over ()) as block_reads_percent,
       percent_of(sum(block_reads) over (order by maximum_interval_ns), sum(block_reads) over ())
           as cumulative_percent,
       bytes
from counted
order by maximum_interval_ns
