-- Small files of jobs that have many
--
-- One row per small file of a job that has a thousand or more: less than 1 MiB is read or written of it, by some of the ranks
-- and not by all.
--
-- Source: iotrace.
-- Materialize: yes
-- Family: darshan_job, parallel_io
--
-- Columns:
--   job   int32  [identifier]  The log.
--   file  int32  [identifier]  The file.

select job, file
from job_file
join darshan_job using (job)
where coalesce(bytes_read, 0) < 1048576 * job_file.ranks and coalesce(bytes_written, 0) < 1048576
  and (job_file.ranks < darshan_job.ranks or darshan_job.ranks = 1)
qualify count(*) over (partition by job) >= 1000
