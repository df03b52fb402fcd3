-- Jobs that move bytes more slowly than usual
--
-- One row per job that took at least three times as long for its bytes as the median of the jobs of the same user,
-- command line and number of ranks, of which there are at least five; those first that lost most time. Jobs that move nothing, and those in whose
-- I/O less than a hundredth of the run is spent, are left out.
--
-- Source: iotrace.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   run           int32    [identifier]  The first log of the job.
--   log           string   [name]        Its file.
--   job_id        int64?   [identifier]  The scheduler's number.
--   uid           int64?   [identifier]  The user's number.
--   program       string   [name]        The command line.
--   start_ns      int64?   [ns]          When it began, since 1970.
--   io_s          double   [s]           Time in I/O, added up over ranks.
--   slower        double   [ratio]       Its time for a byte, by the median's.
--   lost_s        double   [s]           The time beyond what the median's job would have taken.
--   alike         int64    [jobs]        Jobs of the same user, command line and number of ranks.
--
-- Shown:
--   log
--   job = job_id
--   user = uid
--   program
--   time = io_s
--   slower
--   lost = lost_s
--   of jobs = alike

with moved as (
    select *, io_s / (bytes_read::double + bytes_written) as byte_s
    from io_by_job
    where program is not null and io_share >= 0.01 and bytes_read::double + bytes_written > 0
), compared as (
    select *, median(byte_s) over alike as usual_s, count(*) over alike as alike
    from moved
    window alike as (partition by uid, program, ranks)
)
select run, log, job_id, uid, program, start_ns, io_s, byte_s / usual_s as slower, io_s * (1 - usual_s / byte_s) as lost_s, alike
from compared
where alike >= 5 and byte_s >= 3 * usual_s and usual_s > 0
order by lost_s desc, run
limit 1000
