-- Where a job's files are
--
-- One row per job and file that was read, written or opened: the file system that has it, which is the longest mount that its
-- path begins with, and how it is used.
--
-- Source: darshan-util.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   job      int32    [identifier]  The log.
--   file     int32    [identifier]  The file.
--   path     string   [name]        Its path.
--   mount    string?  [name]        Where its file system is mounted; null if the log lists none.
--   type     string?  [name]        The file system's type.
--   used     string   [name]        read only, written only, read and written, or only opened.
--   sharing  string   [name]        one rank, some ranks, or all ranks.

with mounted as (
    select job_file.job, job_file.file, max_by(darshan_mount.path, length(darshan_mount.path)) as mount,
           max_by(darshan_mount.type, length(darshan_mount.path)) as type
    from job_file
    join (select file, path from file) named using (file)
    join darshan_mount on darshan_mount.job = job_file.job and starts_with(named.path, darshan_mount.path)
     and (darshan_mount.path = '/' or length(named.path) = length(darshan_mount.path)
          or ends_with(darshan_mount.path, '/') or substr(named.path, length(darshan_mount.path) + 1, 1) = '/')
    group by job_file.job, job_file.file
)
select job_file.job, job_file.file, named.path, mount, type,
       case when reads > 0 and writes > 0 then 'read and written' when reads > 0 then 'read only'
            when writes > 0 then 'written only' else 'only opened' end as used,
       case when job_file.ranks >= darshan_job.ranks and darshan_job.ranks > 1 then 'all ranks'
            when job_file.ranks > 1 then 'some ranks' else 'one rank' end as sharing
from job_file
join (select file, path from file) named using (file)
join darshan_job using (job)
left join mounted on mounted.job = job_file.job and mounted.file = job_file.file
