-- {path} takes much longer than the mean{others}
--
-- The others wait for a rank that takes much longer, at the next call that all ranks make. Ranks without I/O are left
-- out of the mean, and a rank that moves as much more data of a shared file as it takes longer is not slow. What the
-- others wait is at stake, which is not I/O time.
--
-- Source: Drishti (Bez and others 2022) and Darshan report imbalance; the measure here is the longest time over the mean.
-- Family: darshan_job
-- Change: Balance the data of the ranks
-- Do: Give ranks the same amount of data; if they have it, look at the node and the storage target of the slow one.
-- Check: Record again: the longest time is near the mean.
-- Confidence: low. The times are counted; that the others wait for all of the difference is taken.
-- With Lustre: lfs getstripe FILE;  lfs df -h  # is its target full or slow?
--
-- Thresholds:
--   least_ranks   4  Ranks with I/O.
--   least_factor  2  Times the mean.

with own as (
    select job, rank, sum(read_s + write_s + meta_s) as own_s
    from layer_record
    join (select job, file, is_mpi from job_file) using (job, file)
    join (select file, path from file) using (file)
    where rank >= 0 and (layer = 'mpiio') = is_mpi and path not in ('<STDIN>', '<STDOUT>', '<STDERR>')
    group by job, rank
), of_ranks as (
    select job, arg_max(rank, own_s) as rank, max(own_s) as longest_s, avg(own_s) as mean_s, count(*) as ranks
    from own
    group by job
), shared as (
    select job, file, any_value(path) as path, sum(slowest_s) as longest_s,
           sum(read_s + write_s + meta_s) as all_s
    from layer_record
    join (select job, file, is_mpi from job_file) using (job, file)
    join (select file, path from file) using (file)
    where rank < 0 and (layer = 'mpiio') = is_mpi
    group by job, file
), slowest as (
    select job, file, max(value) filter (ends_with(counter, '_SLOWEST_RANK')) as rank,
           max(value) filter (ends_with(counter, '_SLOWEST_RANK_BYTES')) as bytes
    from darshan_counter
    where rank < 0 and (ends_with(counter, '_SLOWEST_RANK') or ends_with(counter, '_SLOWEST_RANK_BYTES'))
    group by job, file
), moved as (
    select job, file, sum(bytes) as bytes from job_request group by job, file
), found as (
    select job, 'rank ' || rank as path, longest_s, mean_s, ranks
    from of_ranks
    union all
    select shared.job, shared.path || ' by rank ' || slowest.rank, longest_s,
           greatest(all_s / ranks, coalesce(all_s * ratio_of(least(slowest.bytes, moved.bytes), moved.bytes), 0)), ranks
    from shared
    join darshan_job using (job)
    join slowest using (job, file)
    left join moved using (job, file)
)
select path, if((select count(*) from darshan_job) > 1, log, null) as process, longest_s / mean_s as number, 'times' as unit,
       (longest_s - mean_s) * (found.ranks - 1) as at_stake_s, null as at_stake_bytes, concat_ws('/', job, 'waiting') as time_of,
       greatest(0, available_s - io_s) as time_s,
       format('{:.3g} s, and {:.3g} s for the mean of {:,} ranks', longest_s, mean_s, found.ranks) as detail
from found
join darshan_job using (job)
join job_io using (job)
where found.ranks >= $least_ranks and mean_s > 0 and longest_s >= $least_factor * mean_s
  and job not in (select job from moved_by_one where moved_bytes >= 16777216)
