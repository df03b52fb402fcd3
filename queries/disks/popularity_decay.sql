-- Popularity decay
--
-- How long after the first access to a block of a disk (parameter block_bytes), or to a key, it is accessed again, in bins
-- by powers of two: blocks that lose their popularity are accessed again soon, or not at all. Of more than 1,835,008 blocks a sample is
-- followed: counts are estimates then (column one_in of block_skew).
--
-- Source: iotrace; libCacheSim's trace analyzer draws the decay of objects' popularity.
-- Family: disk_io, key_io
--
-- Columns:
--   operation           string   [name]      read or write: what the later access does; unknown if the trace does not state it.
--   maximum_age_ns      int64?   [ns]        The longest time of the bin; the shortest is just above half of it; missing without time stamps.
--   accesses            int64    [accesses]  How many.
--   cumulative_percent  double?  [percent]   The share of the operation's accesses up to here; missing without time stamps.
--
-- Shown:
--   operation
--   age up to    = maximum_age_ns
--   accesses
--   cumulative % = cumulative_percent

select operation, maximum_age_ns, accesses,
       if(maximum_age_ns is null, null,
          percent_of(sum(accesses) over (partition by operation order by maximum_age_ns),
                     sum(accesses) over (partition by operation))) as cumulative_percent
from block_age
order by operation, maximum_age_ns nulls last
