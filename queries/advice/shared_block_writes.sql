-- Several ranks write the same megabytes of {path}{others}
--
-- Ranks that write into the same block or stripe of a file take its lock from each other.
--
-- Source: iotrace; the recorder of access patterns is iotrace patterns.
-- Family: parallel_io
-- Change: Give each rank its own part
-- Do: Let each rank write its own contiguous, aligned part, use collective buffering, or a file for each node; on Lustre a stripe size equal to a rank's part.
-- Check: Record again: iotrace patterns shows contiguous parts for each rank.
-- Confidence: medium. The time is that of all writes into such megabytes; how much of it is waiting for locks is not in the trace.
--
-- Thresholds:
--   least_blocks   16       Megabytes of one file that two ranks or more write.
--   least_percent  10       Their part of the megabytes written.
--   block_bytes    1048576  A megabyte.

with written as (
    select path, process, duration_ns, length, "offset" // $block_bytes as block
    from data_call
    where writes and "offset" is not null and length > 0
),
shared as (
    select path, block, count(distinct process) > 1 as is_shared from written group by path, block
)
select path, null as process, count(distinct block) filter (is_shared) as number, 'megabytes' as unit,
       sum(duration_ns) filter (is_shared) / 1e9 as at_stake_s, sum(length) filter (is_shared) as at_stake_bytes
from written
join shared using (path, block)
group by path
having count(distinct block) filter (is_shared) >= greatest($least_blocks, $least_percent / 100 * count(distinct block))
