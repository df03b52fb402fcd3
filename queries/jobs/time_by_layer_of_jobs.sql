-- Time by layer, of all jobs
--
-- One row per layer: the time in its calls of all jobs, added up over ranks, and its share of ranks times run time of the jobs
-- that called it. The calls of a layer are made of those below it, and what layers count is never added up.
--
-- Source: iotrace.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   layer              string   [name]     mpiio, stdio, posix, dfs or daos.
--   jobs               int64    [jobs]     Logs that have calls of it.
--   io_s               double   [s]        Time in its calls, added up over ranks.
--   percent            double?  [percent]  Its share of ranks times run time of these logs; null if one is unknown or 0.
--   read_s             double   [s]        Of the time, reads.
--   write_s            double   [s]        Of the time, writes.
--   meta_s             double   [s]        Of the time, other calls.
--   reads              int64?   [calls]    Reads.
--   writes             int64?   [calls]    Writes.
--   collective_reads   int64?   [calls]    Reads that are collective.
--   collective_writes  int64?   [calls]    Writes that are collective.
--   bytes_read         int64?   [bytes]    What reads moved; null if that is not counted.
--   bytes_written      int64?   [bytes]    What writes moved, likewise.
--
-- Shown:
--   layer
--   jobs
--   time      = io_s
--   %         = percent
--   reading   = read_s
--   writing   = write_s
--   other     = meta_s
--   reads
--   writes
--   collective reads if collective_reads
--   collective writes if collective_writes
--   bytes read
--   bytes written

select layer, count(*) as jobs, sum(io_s) as io_s, percent_of(sum(io_s), sum(ranks * (run_ns / 1e9))) as percent,
       sum(read_s) as read_s, sum(write_s) as write_s, sum(meta_s) as meta_s, whole_sum(reads) as reads,
       whole_sum(writes) as writes, whole_sum(collective_reads) as collective_reads,
       whole_sum(collective_writes) as collective_writes, whole_sum(bytes_read) as bytes_read,
       whole_sum(bytes_written) as bytes_written
from job_layer
join darshan_job using (job)
group by layer
order by list_position(['mpiio', 'stdio', 'posix', 'dfs', 'daos'], layer)
