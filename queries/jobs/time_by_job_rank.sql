-- Ranks of jobs by time
--
-- One row per job and rank, those with most time first: the time in files of which the rank has a record of its own, at the
-- layer that the program called. Records of all ranks together do not say which rank took how long; statistic shared_file_ranks
-- has their slowest ones. The node is known where extended tracing or module APMPI names it.
--
-- Source: iotrace.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   log            string   [name]        The log's file.
--   rank           int64    [identifier]  The rank.
--   node           string?  [name]        Its machine; null if the log does not name it.
--   files          int64    [files]       Files.
--   io_s           double   [s]           Time in calls.
--   times_mean     double?  [ratio]       That over the mean of the job's ranks that have such records.
--   read_s         double   [s]           Of the time, reads.
--   write_s        double   [s]           Of the time, writes.
--   meta_s         double   [s]           Of the time, other calls.
--   bytes_read     int64?   [bytes]       What reads moved.
--   bytes_written  int64?   [bytes]       What writes moved.
--
-- Shown:
--   rank
--   node if node
--   files
--   time       = io_s
--   times mean = times_mean
--   reading    = read_s
--   writing    = write_s
--   other      = meta_s
--   bytes read
--   bytes written

with own as (
    select job, rank, count(distinct file) as files, sum(read_s) as read_s, sum(write_s) as write_s, sum(meta_s) as meta_s,
           whole_sum(bytes_read) as bytes_read, whole_sum(bytes_written) as bytes_written
    from layer_record
    join (select job, file, is_mpi from job_file) using (job, file)
    where rank >= 0 and (layer = 'mpiio') = is_mpi
    group by job, rank
)
select log, rank, node, files, read_s + write_s + meta_s as io_s,
       ratio_of(read_s + write_s + meta_s, avg(read_s + write_s + meta_s) over (partition by job)) as times_mean,
       read_s, write_s, meta_s, bytes_read, bytes_written
from own
join darshan_job using (job)
left join rank_node using (job, rank)
order by io_s desc, job, rank
