-- System calls with names, programs and wall-clock time
--
-- One row per system call, with all that a question about calls usually needs, so that it needs no join: what the call
-- worked on by its absolute path, also where that does not exist; the program and its pid; wall-clock time; how long it took;
-- the bytes it moved; and its result or error. Start here for questions about calls.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   call         string     [name]        The system call's name.
--   path         string?    [name]        The absolute path of what it worked on, of an open file the first one by which it was known (a rename does not change it), or fd:PID:N for a descriptor from before the trace; null where the call names nothing (pipes, sockets, memory), or where a relative path starts is not known. After a chroot it may be a path below the process's root.
--   directory    string?    [name]        The path without its last element; null without an absolute path.
--   program      string?    [name]        The path of the program that its process ran then; null for one that ran before the trace and that the recorder did not see.
--   pid          int32      [identifier]  The process, by the number that the kernel gave it.
--   at           timestamp? [UTC]         When it was issued, to the microsecond; null if the trace has no wall-clock time. "at" is a word of SQL: it needs double quotes; started_at is the same.
--   duration     interval?  [time]        How long it took, to the microsecond; null if the trace does not record it.
--   duration_ns  int64?     [ns]          How long it took.
--   bytes        int64?     [bytes]       The bytes that it moved, of a call that moves data and succeeded; null for other calls.
--   result       int64?     [value]       What it returned; null if it did not return.
--   error        string?    [name]        The error's name (ENOENT, ...); null for a call that succeeded.
--   started_at   timestamp? [UTC]         The same as "at".
--   time_ns      int64?     [ns]          When it was issued, since the first event of the trace; null if the trace has no times.
--   object       string?    [name]        What it worked on: regular, directory, symlink, character_device, block_device, pipe, socket, anonymous or unknown; null where that names nothing or does not exist.
--   fd           int32?     [descriptor]  The descriptor that it worked on.
--   thread       int32      [identifier]  The thread that made it.
--   process      int32      [identifier]  Its row in table process.
--   seq          int64      [position]    Its row in table syscall.

select syscall.call, named.path, parent_directory(named.path) as directory, process.program, process.pid,
       wall_clock(syscall.time_ns) as "at", to_microseconds(syscall.duration_ns // 1000) as duration, syscall.duration_ns,
       case when call_class.class = 'moves' and syscall.result >= 0 then syscall.result end as bytes,
       syscall.result, syscall.error, wall_clock(syscall.time_ns) as started_at, syscall.time_ns, named.object, syscall.fd,
       syscall.thread, syscall.process, syscall.seq
from syscall
join process on process.process = syscall.process
left join call_class on call_class.call = syscall.call
left join (
    select named_call.seq, coalesce(named_call.absolute_path, if(file.path like 'fd:%', file.path, null)) as path,
           call_file.object
    from named_call
    left join call_file on call_file.call_seq = named_call.seq
    left join file on file.file = call_file.file
) as named on named.seq = syscall.seq
where not is_no_call(syscall.call)
