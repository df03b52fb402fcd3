-- Calls of threads over time
--
-- One row per call with a time, of system calls and of parallel programs: what a timeline of threads shows.
-- Calls of MPI-IO hold those of the layers below, which are here, too.
--
-- Source: iotrace.
-- Family: syscall, parallel_io
--
-- Columns:
--   seq          int64    [position]    The call: seq of the native table.
--   time_ns      int64    [ns]          When it was issued, since the first event of the trace.
--   duration_ns  int64?   [ns]          How long it took, with what the tracer adds; missing where the trace does not say.
--   process      int32?   [identifier]  The row in table process that made it.
--   pid          int32?   [identifier]  The process's number in the kernel, or the rank.
--   thread       int64?   [identifier]  The thread's number.
--   call         string   [name]        The call, or the operation.
--   class        string?  [name]        What its time is spent on (view timed_call); of parallel programs the layer.
--   path         string?  [name]        The file, or a word in parentheses (view timed_call).
--   offset       int64?   [bytes]       The offset argument, as in the native table.
--   requested    int64?   [bytes]       How many bytes were asked for.
--   moved        int64?   [bytes]       How many bytes moved.
--   result       int64?   [value]       What a system call returned.
--   error        string?  [name]        The error's name; missing for a call that succeeded.

select seq, timed_call.time_ns, timed_call.duration_ns, timed_call.process, pid, syscall.thread::bigint as thread,
       timed_call.call, class, timed_call.file as path, "offset", "count" as requested, bytes as moved, result, error
from timed_call
join syscall using (seq)
left join process_name on process_name.process = timed_call.process
where timed_call.time_ns is not null
union all
select seq, time_ns, duration_ns, process, pid, thread, operation, layer, path, "offset", requested,
       if(operation in ('read', 'write'), length, null), null, null
from parallel_io
left join file using (file)
left join process_name using (process)
where time_ns is not null and operation <> 'list_io'
