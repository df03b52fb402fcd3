-- Requests by row of table process
--
-- One row per process and program: what it requested. Requests of unknown process are left out.
--
-- Source: iotrace.
-- Materialize: yes
--
-- Columns:
--   process            int32    [identifier]  The row of table process.
--   pid                int32?   [identifier]  The process (thread group) in the kernel's numbering.
--   program            string?  [name]        The program that ran; missing for one from before the trace.
--   requests           int64    [requests]    All requests.
--   metadata_requests  int64    [requests]    Those for inodes and directories.
--   bytes_read         int64    [bytes]       Bytes that its reads moved, inodes and directories included.
--   bytes_written      int64    [bytes]       Bytes that its writes and updates moved, likewise.

with counted as (
    select process, count(*) as requests,
           count(*) filter (type in ('inode', 'directory')) as metadata_requests,
           coalesce(sum(length) filter (not writes), 0) as bytes_read,
           coalesce(sum(length) filter (writes), 0) as bytes_written
    from request
    where process is not null
    group by process
)
select counted.process, pid, program, requests, metadata_requests, bytes_read, bytes_written
from counted
left join process on process.process = counted.process
