-- Distances between accesses to a block
--
-- How many distinct blocks of disks, or keys, are accessed from each access on to the one before it to the same block: see
-- reuse_distances. As in view block_reaccess, the pass follows a sample of very many blocks. The SQL compares accesses with
-- one another, and fails for more than 20,000.
--
-- Source: iotrace; the distance is that of Mattson et al. (IBM Systems Journal 1970).
-- Streamed: yes
-- Family: disk_io, key_io
--
-- Columns:
--   operation         string  [name]      read, write or unknown: what the access does.
--   maximum_distance  int64?  [blocks]    The largest distance of the bin (power_of_two), the block itself included; missing for first accesses.
--   accesses          int64   [accesses]  How many.

with placed as (
    select operation, device, block, row_number() over (order by seq, block) as place
    from block_access
    where (select if(count(*) > 20000, error(format('{:,} accesses are too many to compare with one another in SQL',
                                                    count(*))), true) from block_access)
),
followed as (
    select operation, place, lag(place) over (partition by device, block order by place) as before
    from placed
),
-- of the accesses between two to one block, the first one to each other block
distance as (
    select later.place, any_value(later.operation) as operation, any_value(later.before) as before,
           count(other.place) + 1 as distance
    from followed as later
    left join followed as other on other.place > later.before and other.place < later.place
                                and coalesce(other.before, 0) < later.before
    group by later.place
)
select operation, if(before is null, null, power_of_two(distance)) as maximum_distance, count(*) as accesses
from distance
group by all
