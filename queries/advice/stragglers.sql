-- {path} spends far more time in I/O than the typical rank{others}
--
-- A rank with far more I/O time than the typical one makes all others wait at the next barrier.
--
-- Source: iotrace; Drishti and Darshan report the same imbalance.
-- Family: parallel_io
-- Change: Spread the work over all ranks
-- Do: Spread the work (rank 0 often reads or writes for all), check the node and the storage target that it uses (lfs getstripe), stripe large files over more targets.
-- Check: Record again: the ranks' times are closer (iotrace characterize by_process).
-- Confidence: medium. The time is what the rank takes beyond the median of all ranks.
--
-- Thresholds:
--   least_ranks   4    Ranks with I/O.
--   least_factor  2    Times the median rank's I/O time.
--   least_s       0.1  Seconds beyond it.

with spent as (
    select process, sum(duration_ns) / 1e9 as seconds from data_call where duration_ns is not null group by process
),
judged as (
    select *, median(seconds) over () as median_s, count(*) over () as ranks from spent
)
select process as path, null as process, seconds as number, 's' as unit, seconds - median_s as at_stake_s,
       null as at_stake_bytes
from judged
where ranks >= $least_ranks and seconds >= $least_factor * median_s and seconds - median_s >= $least_s
