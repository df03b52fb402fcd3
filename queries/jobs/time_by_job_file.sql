-- Files of jobs by time
--
-- One row per job and file, those with most time in I/O first: the time at the layer that the program called, added up over
-- ranks, and its share of ranks times run time.
--
-- Source: iotrace.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   log            string   [name]       The log's file.
--   path           string   [name]       The file's path.
--   layer          string   [name]       The layer that the program called; with a comma between where these are two.
--   ranks          int64    [processes]  Ranks that have a record of it; all of the job for a record of all.
--   io_s           double   [s]          Time in its calls, added up over ranks.
--   percent        double?  [percent]    Its share of ranks times run time; null if one is unknown or 0.
--   read_s         double   [s]          Of the time, reads.
--   write_s        double   [s]          Of the time, writes.
--   meta_s         double   [s]          Of the time, other calls.
--   reads          int64    [calls]      Reads.
--   writes         int64    [calls]      Writes.
--   bytes_read     int64?   [bytes]      What reads moved.
--   bytes_written  int64?   [bytes]      What writes moved.
--
-- Shown:
--   path
--   layer
--   ranks
--   time    = io_s
--   %       = percent
--   reading = read_s
--   writing = write_s
--   other   = meta_s
--   reads
--   writes
--   bytes read
--   bytes written

with called as (
    select job, file, string_agg(distinct layer, ', ' order by layer) as layer
    from layer_record
    join (select job, file, is_mpi from job_file) using (job, file)
    where (layer = 'mpiio') = is_mpi
    group by job, file
)
select log, path, layer, job_file.ranks, read_s + write_s + meta_s as io_s,
       percent_of(read_s + write_s + meta_s, darshan_job.ranks * (run_ns / 1e9)) as percent, read_s, write_s, meta_s, reads,
       writes, bytes_read, bytes_written
from job_file
join (select file, path from file) using (file)
join darshan_job using (job)
join called using (job, file)
order by io_s desc, job, file
