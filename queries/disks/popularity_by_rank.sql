-- Popularity by rank
--
-- How often blocks of disks (parameter block_bytes), or keys, are accessed, most popular first, at ranks that are some 10 %
-- apart, and the share of the accesses that the blocks up to there have; with the line of a Zipf distribution (see
-- block_skew and key_skew). Of more than 1,835,008 blocks a sample is followed: ranks and counts are estimates then.
--
-- Source: iotrace.
-- Family: disk_io, key_io
--
-- Columns:
--   operation           string   [name]      all, read, write or unknown: which accesses are counted.
--   rank                int64    [position]  The rank of the block, or key, from 1.
--   rank_percent        double   [percent]   The rank as a share of all blocks with such accesses.
--   accesses            int64    [accesses]  How often the block is accessed.
--   fitted_accesses     double?  [accesses]  What the Zipf distribution gives; missing for fewer than 10 blocks.
--   cumulative_percent  double   [percent]   The share of all accesses that the blocks up to this one have.
--
-- Shown:
--   operation
--   rank
--   rank %       = rank_percent
--   accesses
--   Zipf fit     = fitted_accesses
--   cumulative % = cumulative_percent

with rank as (
    select distinct floor(1.1 ** step)::bigint as rank from (select unnest(range(0, 360)) as step)
),
ranked as (
    select operation, rank, accesses, all_blocks, all_accesses,
           accesses_before + accesses * (rank - (last_rank - blocks)) as accesses_so_far
    from popular_rank
    join rank on rank.rank > last_rank - blocks and rank.rank <= last_rank
),
fitted as (
    select operation, regr_slope(ln(accesses), ln(rank) order by rank) as slope,
           regr_intercept(ln(accesses), ln(rank) order by rank) as intercept
    from ranked
    where all_blocks >= 10
    group by operation
)
select operation, rank, percent_of(rank, all_blocks) as rank_percent, accesses,
       exp(intercept + slope * ln(rank)) as fitted_accesses,
       percent_of(accesses_so_far, all_accesses) as cumulative_percent
from ranked
left join fitted using (operation)
order by list_position(['all', 'read', 'write', 'unknown'], operation), rank
