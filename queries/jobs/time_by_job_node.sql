-- Machines of jobs by time
--
-- One row per job and machine that the log names a rank on (extended tracing, module APMPI), those with most time first: the time in files of
-- which a rank has a record of its own.
--
-- Source: iotrace.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   log            string  [name]       The log's file.
--   node           string  [name]       The machine.
--   ranks          int64   [processes]  Its ranks that have such records.
--   io_s           double  [s]          Time in calls, added up over these.
--   read_s         double  [s]          Of the time, reads.
--   write_s        double  [s]          Of the time, writes.
--   meta_s         double  [s]          Of the time, other calls.
--   bytes_read     int64?  [bytes]      What reads moved.
--   bytes_written  int64?  [bytes]      What writes moved.
--
-- Shown:
--   node
--   ranks
--   time    = io_s
--   reading = read_s
--   writing = write_s
--   other   = meta_s
--   bytes read
--   bytes written

select log, node, count(*) as ranks, sum(io_s) as io_s, sum(read_s) as read_s, sum(write_s) as write_s, sum(meta_s) as meta_s,
       whole_sum(bytes_read) as bytes_read, whole_sum(bytes_written) as bytes_written
from time_by_job_rank
where node is not null
group by log, node
order by io_s desc, log, node
