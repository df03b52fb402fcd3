-- Reuse distances
--
-- How many distinct blocks of disks (parameter block_bytes), or keys, are accessed from each access back to the one before it
-- to the same block, in bins by powers of two. An LRU cache of maximum_distance blocks hits where the distance is no larger:
-- cumulative_percent is its hit ratio, and iotrace curve has it for every size. Reuse times are in reaccess_intervals. Of more than 1,835,008 blocks a
-- sample is followed: distances and counts are estimates then (column one_in of block_skew).
--
-- Source: iotrace; Mattson et al. (IBM Systems Journal 1970).
-- Family: disk_io, key_io
--
-- Columns:
--   operation           string   [name]      read or write: what the access does; unknown if the trace does not state it.
--   maximum_distance    int64?   [blocks]    The largest distance of the bin, the block itself included; the smallest is just above half of it. Missing for first accesses.
--   accesses            int64    [accesses]  How many.
--   cumulative_percent  double?  [percent]   The share of the operation's accesses up to here; missing for first accesses.
--
-- Shown:
--   operation
--   distance up to = maximum_distance
--   accesses
--   cumulative %   = cumulative_percent

select operation, maximum_distance, accesses,
       if(maximum_distance is null, null,
          percent_of(sum(accesses) over (partition by operation order by maximum_distance nulls last),
                     sum(accesses) over (partition by operation))) as cumulative_percent
from block_distance
order by operation, maximum_distance nulls last
