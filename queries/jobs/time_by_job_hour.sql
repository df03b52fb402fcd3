-- Jobs by the hour in which they began
--
-- One row per hour of the day, in UTC, in which jobs began: jobs, ranks times run time, and what of it is I/O at the layers that
-- programs called.
--
-- Source: iotrace.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   hour           int64    [hours]    The hour of the day, from 0.
--   jobs           int64    [jobs]     Jobs.
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
--   hour
--   jobs
--   ranks times run time = available_s
--   time    = io_s
--   %       = percent
--   reading = read_s
--   writing = write_s
--   other   = meta_s
--   bytes read
--   bytes written

select start_ns // 3600000000000 % 24 as hour, count(*) as jobs, sum(available_s) as available_s, sum(io_s) as io_s,
       percent_of(sum(io_s), sum(available_s)) as percent, sum(read_s) as read_s, sum(write_s) as write_s, sum(meta_s) as meta_s,
       whole_sum(bytes_read) as bytes_read, whole_sum(bytes_written) as bytes_written
from io_by_job
where start_ns is not null
group by hour
order by hour
