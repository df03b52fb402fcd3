-- Skew of accesses to blocks
--
-- How unevenly accesses spread over the blocks of all disks (parameter block_bytes), for all accesses and by operation: hot
-- spots, blocks accessed once, and the fit of a Zipf distribution, in which the accesses of the block at rank r are
-- proportional to r to the power of minus the exponent. The fit is a line by least squares through the logarithms of ranks
-- and accesses, at ranks some 10 % apart (popularity_by_rank). Of more than 1,835,008 blocks a sample is followed.
--
-- Source: iotrace; Li et al. (IISWC 2020) have the update coverage and the shares of the most popular blocks.
-- Family: disk_io
--
-- Columns:
--   operation         string   [name]      all, read, write or unknown: which accesses are counted.
--   blocks            int64    [blocks]    Blocks with such accesses.
--   accesses          int64    [accesses]  Accesses; a request accesses each of its blocks.
--   once_percent      double   [percent]   Blocks that are accessed so once (one-hit wonders), of those with such accesses.
--   again_percent     double   [percent]   Blocks that are accessed so more than once, of all blocks touched; of writes, the update coverage.
--   top_1_percent     double   [percent]   The share of the accesses to the most popular 1 % of the blocks (rounded up to whole blocks).
--   top_10_percent    double   [percent]   That of the most popular 10 %.
--   most_accesses     int64    [accesses]  Accesses to the most popular block.
--   zipf_exponent     double?  [ratio]     The exponent of the fit; missing for fewer than 10 blocks.
--   zipf_error        double?  [ratio]     By which factor accesses lie off the fit, as the root of the mean squared logarithm says: 1 if all lie on it.
--   zipf_r_squared    double?  [ratio]     The share of the variance of the logarithms that the fit explains; missing where all blocks have as many accesses.
--   one_in            int64    [blocks]    1 if all blocks were followed; else one block in this many was, and counts for as many.
--
-- Shown:
--   operation
--   blocks
--   accesses
--   once %         = once_percent
--   again %        = again_percent
--   top 1 %        = top_1_percent
--   top 10 %       = top_10_percent
--   most accesses
--   Zipf exponent  = zipf_exponent
--   Zipf error     = zipf_error
--   one in

with fit as (
    select operation, -regr_slope(ln(accesses), ln(rank) order by rank) as zipf_exponent,
           exp(sqrt(avg((ln(accesses) - ln(fitted_accesses)) ** 2 order by rank))) as zipf_error,
           if(min(accesses) = max(accesses), null, regr_r2(ln(accesses), ln(rank) order by rank)) as zipf_r_squared
    from popularity_by_rank
    where fitted_accesses is not null
    group by operation
),
touched as (
    select coalesce(max(all_blocks), 0) as touched from popular_rank where operation = 'all'
)
select operation, any_value(all_blocks) as blocks, any_value(all_accesses) as accesses,
       percent_of(coalesce(sum(blocks) filter (accesses = 1), 0), any_value(all_blocks)) as once_percent,
       percent_of(coalesce(sum(blocks) filter (accesses > 1), 0), any_value(touched)) as again_percent,
       percent_of(sum(accesses * greatest(least(blocks, ceil(all_blocks / 100) - (last_rank - blocks)), 0)),
                  any_value(all_accesses)) as top_1_percent,
       percent_of(sum(accesses * greatest(least(blocks, ceil(all_blocks / 10) - (last_rank - blocks)), 0)),
                  any_value(all_accesses)) as top_10_percent,
       max(accesses) as most_accesses, any_value(zipf_exponent) as zipf_exponent, any_value(zipf_error) as zipf_error,
       any_value(zipf_r_squared) as zipf_r_squared, any_value(one_in) as one_in
from popular_rank
cross join touched
left join fit using (operation)
group by operation
order by list_position(['all', 'read', 'write', 'unknown'], operation)
