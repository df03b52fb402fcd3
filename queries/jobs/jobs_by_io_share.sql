-- Jobs by the share of I/O in their run
--
-- One row per tenth of ranks times run time that jobs spend in I/O; of jobs of which it is known.
--
-- Source: iotrace.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   from_percent  int64    [percent]  The least share; that of the last row has no bound above.
--   jobs          int64    [jobs]     Jobs with at least this share, and less than that of the next row.
--   available_s   double   [s]        Their ranks times run time, added up.
--   io_s          double   [s]        Their time in I/O, added up over ranks.
--   bytes         double   [bytes]    What they moved.
--
-- Shown:
--   from = from_percent
--   jobs
--   ranks times run time = available_s
--   time = io_s
--   bytes

select least(100, 10 * floor(10 * io_share))::bigint as from_percent, count(*) as jobs, sum(available_s) as available_s,
       sum(io_s) as io_s, sum(coalesce(bytes_read, 0)::double + coalesce(bytes_written, 0)) as bytes
from io_by_job
where io_share is not null
group by from_percent
order by from_percent
