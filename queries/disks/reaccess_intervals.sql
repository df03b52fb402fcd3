-- Reuse times of blocks and keys: RAR, RAW, WAR and WAW
--
-- How long after the access before each access to a block of a disk (parameter block_bytes), or to a key, comes, by what
-- both do, in bins by powers of two. These are times; how many other blocks are accessed between, the reuse distance, is in
-- reuse_distances. Of more than 1,835,008 blocks a sample is followed: counts are estimates then (column
-- one_in of block_skew).
--
-- Source: iotrace; the four times are those of Li et al. (IISWC 2020, "An In-Depth Analysis of Cloud Block Storage Workloads").
-- Family: disk_io, key_io
--
-- Columns:
--   pair                 string   [name]      RAR (a read after a read), RAW (a read after a write), WAR (a write after a read), WAW (a write after a write); again if the trace does not state directions.
--   maximum_interval_ns  int64?   [ns]        The longest time of the bin; the shortest is just above half of it; missing without time stamps.
--   accesses             int64    [accesses]  How many.
--   accesses_percent     double   [percent]   Their share of all accesses to blocks that were accessed before.
--   cumulative_percent   double?  [percent]   The share of the pair's accesses up to here; missing without time stamps.
--
-- Shown:
--   pair
--   interval up to = maximum_interval_ns
--   accesses
--   accesses %     = accesses_percent
--   cumulative %   = cumulative_percent

with named as (
    select if('unknown' in (earlier, later), 'again', upper(later[1]) || 'A' || upper(earlier[1])) as pair,
           maximum_interval_ns, sum(accesses) as accesses
    from block_reaccess
    group by pair, maximum_interval_ns
)
select pair, maximum_interval_ns, accesses, percent_of(accesses, sum(accesses) over ()) as accesses_percent,
       if(maximum_interval_ns is null, null,
          percent_of(sum(accesses) over (partition by pair order by maximum_interval_ns),
                     sum(accesses) over (partition by pair))) as cumulative_percent
from named
order by list_position(['RAR', 'RAW', 'WAR', 'WAW', 'again'], pair), maximum_interval_ns nulls last
