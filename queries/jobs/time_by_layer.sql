-- Time by layer
--
-- One row per job and layer: the time in its calls, added up over ranks, and its share of ranks times run time. The calls of a
-- layer are made of those below it: MPI-IO of POSIX. What layers count is never added up.
--
-- Source: iotrace.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   job                int32    [identifier]  The log.
--   log                string   [name]        Its file.
--   layer              string   [name]        mpiio, stdio, posix, dfs or daos.
--   files              int64    [files]       Files that it opened.
--   io_s               double   [s]           Time in its calls, added up over ranks.
--   percent            double?  [percent]     Its share of ranks times run time; null if one is unknown or 0.
--   read_s             double   [s]           Of the time, reads.
--   write_s            double   [s]           Of the time, writes.
--   meta_s             double   [s]           Of the time, other calls.
--   reads              int64    [calls]       Reads.
--   writes             int64    [calls]       Writes.
--   collective_reads   int64    [calls]       Reads that are collective.
--   collective_writes  int64    [calls]       Writes that are collective.
--   bytes_read         int64?   [bytes]       What reads moved; null if that is not counted.
--   bytes_written      int64?   [bytes]       What writes moved, likewise.
--   bandwidth          double?  [bytes/s]     Bytes by the time of the slowest rank, as Darshan gives it.
--   wall_bandwidth     double?  [bytes/s]     Bytes by the run time.
--
-- Shown:
--   log
--   layer
--   files
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
--   bandwidth
--   by the clock = wall_bandwidth

select job, log, layer, files, io_s, percent_of(io_s, ranks * (run_ns / 1e9)) as percent, read_s, write_s, meta_s, reads,
       writes, collective_reads, collective_writes, bytes_read, bytes_written, bandwidth, wall_bandwidth
from job_layer
join darshan_job using (job)
order by job, list_position(['mpiio', 'stdio', 'posix', 'dfs', 'daos'], layer)
