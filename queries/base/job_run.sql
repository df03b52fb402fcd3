-- Which logs are of one job
--
-- One row per log. A program that forks writes a log for each process, with the job number of all: such logs of single
-- processes, of one user, whose times overlap or adjoin (1 s apart at most) are one job (parameter merge_jobs). Other logs with
-- one job number may be of several jobs, since without a scheduler it is the number of a process.
--
-- Source: iotrace.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   job  int32  [identifier]  The log.
--   run  int32  [identifier]  The first log of its job.

with single as (
    select job, job_id, uid, start_ns,
           max(start_ns + run_ns) over (
               partition by job_id, uid order by start_ns, job rows between unbounded preceding and 1 preceding
           ) as reached_ns
    from darshan_job
    where ranks = 1 and job_id is not null and start_ns + run_ns is not null and parameter_merge_jobs() = 'yes'
), counted as (
    select job, job_id, uid,
           sum(if(reached_ns is null or start_ns > reached_ns + 1000000000, 1, 0)) over (
               partition by job_id, uid order by start_ns, job
           ) as part
    from single
), named as (
    select job, min(job) over (partition by job_id, uid, part) as run from counted
)
select darshan_job.job, coalesce(run, darshan_job.job) as run
from darshan_job
left join named using (job)
