-- Programs by time
--
-- One row per program, those with most time in I/O first: jobs, ranks times run time, and what of it is I/O at the layers that
-- programs called. A program is the last part of the path that its command line begins with, so that a program with its
-- interpreter counts as the interpreter.
--
-- Source: iotrace.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   program        string?  [name]     The program; null if the log has no command line.
--   jobs           int64    [jobs]     Jobs.
--   users          int64    [users]    Users that ran it.
--   available_s    double?  [s]        Ranks times run time, added up.
--   io_s           double?  [s]        Time in I/O, added up over ranks.
--   percent        double?  [percent]  That in percent of ranks times run time.
--   read_s         double?  [s]        Of the time, reads.
--   write_s        double?  [s]        Of the time, writes.
--   meta_s         double?  [s]        Of the time, other calls.
--   bytes_read     int64?   [bytes]    What reads moved.
--   bytes_written  int64?   [bytes]    What writes moved.
--
-- Shown:
--   program
--   jobs
--   users
--   ranks times run time = available_s
--   time    = io_s
--   %       = percent
--   reading = read_s
--   writing = write_s
--   other   = meta_s
--   bytes read
--   bytes written

select program_name as program, count(*) as jobs, count(distinct uid) as users, sum(available_s) as available_s, sum(io_s) as io_s,
       percent_of(sum(io_s), sum(available_s)) as percent, sum(read_s) as read_s, sum(write_s) as write_s, sum(meta_s) as meta_s,
       whole_sum(bytes_read) as bytes_read, whole_sum(bytes_written) as bytes_written
from (select *, nullif(regexp_extract(program, '^\s*(?:\S*/)?([^\s/]+)', 1), '') as program_name from io_by_job)
group by program_name
order by io_s desc nulls last, program
