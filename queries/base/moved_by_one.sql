-- Jobs of which one rank moves nearly all data
--
-- One row per job of several ranks of which one rank reads and writes at least 90 % of the bytes, at the layer that the program
-- called; standard input and output are left out. Of a file with one record for all ranks Darshan keeps the bytes of the slowest rank.
--
-- Source: iotrace.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   job          int32   [identifier]  The log.
--   rank         int64   [identifier]  The rank.
--   moved_bytes  int64?  [bytes]       What it reads and writes.
--   spent_s      double  [s]           Its time in reads and writes.

with moved as (
    select layer_record.job, layer_record.file, layer_record.rank, layer, coalesce(bytes_read, 0)::double + coalesce(bytes_written, 0) as bytes, read_s + write_s as spent_s
    from layer_record
    join (select job, file, is_mpi from job_file) using (job, file)
    join (select file, path from file) using (file)
    where (layer = 'mpiio') = is_mpi and read_s + write_s > 0 and path not in ('<STDIN>', '<STDOUT>', '<STDERR>')
), slowest as (
    select record, max(job) as job, max(file) as file, max(value) filter (ends_with(counter, '_SLOWEST_RANK')) as rank,
           max(value) filter (ends_with(counter, '_SLOWEST_RANK_BYTES')) as bytes
    from darshan_counter
    where rank < 0 and (ends_with(counter, '_SLOWEST_RANK') or ends_with(counter, '_SLOWEST_RANK_BYTES'))
    group by record
), each as (
    select moved.job, if(moved.rank >= 0, moved.rank, if(slowest.bytes >= 0.9 * moved.bytes, slowest.rank, null)) as rank,
           moved.bytes, moved.spent_s
    from moved
    left join (select job, file, max(rank) as rank, max(bytes) as bytes from slowest group by job, file) slowest
      on slowest.job = moved.job and slowest.file = moved.file and moved.rank < 0
), of_rank as (
    select job, rank, sum(bytes) as moved_bytes, sum(spent_s) as spent_s from each group by job, rank
), of_job as (
    select job, arg_max(rank, moved_bytes) filter (rank is not null) as rank, sum(moved_bytes) as all_bytes from of_rank group by job
)
select of_job.job, of_job.rank, try_cast(moved_bytes as bigint) as moved_bytes, spent_s
from of_job
join of_rank on of_rank.job = of_job.job and of_rank.rank = of_job.rank
join darshan_job on darshan_job.job = of_job.job
where darshan_job.ranks > 1 and moved_bytes >= 0.9 * all_bytes and moved_bytes > 0
