-- Times between accesses to a block
--
-- How long after the access before each access to a block of a disk, or to a key, comes, by what both do: see reaccess_intervals. The
-- pass follows a sample of the blocks where there are more than 1,835,008; each then counts for those that it stands for.
--
-- Source: iotrace.
-- Streamed: yes
-- Family: disk_io, key_io
--
-- Columns:
--   earlier              string  [name]      read, write or unknown: what the access before does.
--   later                string  [name]      What the access does.
--   maximum_interval_ns  int64?  [ns]        The longest interval of the bin (power_of_two); missing without time stamps.
--   accesses             int64   [accesses]  How many.

with followed as (
    select operation as later, lag(operation) over each_block as earlier,
           time_ns - lag(time_ns) over each_block as interval_ns
    from block_access
    window each_block as (partition by device, block order by seq)
)
select earlier, later, power_of_two(interval_ns) as maximum_interval_ns, count(*) as accesses
from followed
where earlier is not null
group by all
