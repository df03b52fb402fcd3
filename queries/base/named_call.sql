-- System calls with absolute names
--
-- One row per system call, with the absolute name of what it works on, also where no such name exists. A path that is
-- absolute in the log stands as it is, and so does the part of a relative path below the directory in which it starts (table
-- failed_path); after a chroot, both are names below the root of the process. Descriptors, and relative paths of calls that
-- succeeded, have the first path of their file (table call_file).
--
-- Source: iotrace.
--
-- Columns:
--   seq            int64    [position]    The call: seq of table syscall.
--   time_ns        int64?   [ns]          When it was issued.
--   duration_ns    int64?   [ns]          How long it took.
--   process        int32    [identifier]  Its row in table process.
--   call           string   [name]        The system call's name.
--   error          string?  [name]        The error's name; null for a call that succeeded.
--   path           string?  [name]        The first path argument, as in the log.
--   absolute_path  string?  [name]        The absolute name; null where the call names nothing, or where it starts is not known.

select syscall.seq, syscall.time_ns, syscall.duration_ns, syscall.process, syscall.call, syscall.error, syscall.path,
       case when starts_with(syscall.path, '/') then syscall.path
            when starts_with(start.path, '/') then rtrim(start.path, '/') || '/' || syscall.path
            when starts_with(file.path, '/') then file.path end as absolute_path
from syscall
left join failed_path on failed_path.call_seq = syscall.seq
left join file as start on start.file = failed_path.directory
left join call_file on call_file.call_seq = syscall.seq
left join file on file.file = call_file.file
