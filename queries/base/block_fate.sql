-- What becomes of written blocks
--
-- Block writes by what ends the data's life and after how long: see written_data_lifetimes.
--
-- Source: iotrace; Ousterhout et al. 1985 and Baker et al. 1991 measure it so.
-- Streamed: yes
--
-- Columns:
--   fate                 string  [name]    overwritten, truncated, deleted or survived (the trace's end).
--   maximum_lifetime_ns  int64?  [ns]      The longest lifetime of the bin; missing for survivors and without time stamps.
--   blocks               int64   [blocks]  Block writes that end so.
--   bytes                int64   [bytes]   The bytes that they wrote.

with written as (
    select file, block, seq, time_ns, bytes, lead(seq) over each_block as next_seq,
           lead(time_ns) over each_block as next_ns
    from block_touch
    where writes
    window each_block as (partition by file, block order by seq)
),
removal as (
    select file, seq, time_ns, operation, case operation when 'delete' then 0 else "offset" end as kept_bytes
    from reference
    where operation in ('delete', 'truncate') and file is not null
),
emptied as (
    -- the next removal of the whole file
    select written.*, removal.seq as removal_seq, removal.time_ns as removal_ns, removal.operation
    from written
    asof left join (from removal where kept_bytes = 0) as removal
        on removal.file = written.file and removal.seq > written.seq
),
cut as (
    -- the next truncation to a length that leaves something, but not this block
    select written.file, written.block, written.seq, min(removal.seq) as cut_seq,
           arg_min(removal.time_ns, removal.seq) as cut_ns
    from written
    join removal on removal.file = written.file
        and removal.kept_bytes > 0 and removal.kept_bytes <= written.block * parameter_block_bytes()
        and removal.seq > written.seq and removal.seq < coalesce(written.next_seq, removal.seq + 1)
    group by written.file, written.block, written.seq
),
ended as (
    select emptied.bytes, emptied.time_ns, next_ns, removal_ns, cut_ns,
           case least(next_seq, removal_seq, cut_seq)
               when next_seq then 'overwritten'
               when cut_seq then 'truncated'
               when removal_seq then if(operation = 'delete', 'deleted', 'truncated')
               else 'survived'
           end as fate,
           case least(next_seq, removal_seq, cut_seq)
               when next_seq then next_ns when cut_seq then cut_ns when removal_seq then removal_ns
           end as end_ns
    from emptied
    left join cut using (file, block, seq)
)
select fate, power_of_two(end_ns - time_ns) as maximum_lifetime_ns, count(*) as blocks, sum(bytes) as bytes
from ended
group by all
