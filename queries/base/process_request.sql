-- Requests by row of table process
--
-- One row per process and program: what it requested of the population (parameter
-- population). Requests of unknown process are left out.
--
-- Source: iotrace.
-- Materialize: yes
-- Merge: by process, job, pid, program
--
-- Columns:
--   process            int32    [identifier]  The row of table process.
--   job                int32?   [identifier]  The job of a parallel trace that holds several.
--   pid                int32?   [identifier]  The process (thread group) in the kernel's numbering.
--   program            string?  [name]        The program that ran; missing for one from before the trace.
--   requests           int64    [requests]    Requests of the population.
--   metadata_requests  int64    [requests]    Requests for inodes and directories, regardless of parameter population.
--   bytes_read         int64    [bytes]       Bytes that its read calls moved.
--   mapped_bytes       int64    [bytes]       Bytes of programs that mappings and whole reads may have read.
--   bytes_written      int64    [bytes]       Bytes that its writes and updates moved.

with counted as (
    select process, count(*) filter (in_population(type, unmoved)) as requests,
           count(*) filter (type in ('inode', 'directory')) as metadata_requests,
           coalesce(sum(length) filter (in_population(type, unmoved) and not writes and not unmoved), 0) as bytes_read,
           coalesce(sum(length) filter (in_population(type, false) and unmoved), 0) as mapped_bytes,
           coalesce(sum(length) filter (in_population(type, unmoved) and writes), 0) as bytes_written
    from request
    where process is not null
    group by process
)
select counted.process, job, pid, program, requests, metadata_requests, bytes_read, mapped_bytes, bytes_written
from counted
left join process on process.process = counted.process
