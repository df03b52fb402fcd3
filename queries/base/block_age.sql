-- Ages of blocks when they are accessed again
--
-- How long after the first access to a block of a disk, or to a key, each later one comes: see popularity_decay. As in view
-- block_reaccess, the pass follows a sample of very many blocks.
--
-- Source: iotrace.
-- Streamed: yes
-- Family: disk_io, key_io
--
-- Columns:
--   operation       string  [name]      read, write or unknown: what the access does.
--   maximum_age_ns  int64?  [ns]        The longest time of the bin (power_of_two); missing without time stamps.
--   accesses        int64   [accesses]  How many.

with followed as (
    select operation, row_number() over each_block as number, time_ns - first_value(time_ns) over each_block as age_ns
    from block_access
    window each_block as (partition by device, block order by seq)
)
select operation, power_of_two(age_ns) as maximum_age_ns, count(*) as accesses
from followed
where number > 1
group by all
