-- Slowest storage calls
--
-- The calls on files, directories and disks that took longest (parameter top), one by one.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   call         string  [name]        The system call.
--   file         string  [name]        The first path of the file that it worked on (view timed_call).
--   process      string  [name]        The process's number, and its last program.
--   time_ns      int64?  [ns]          When it was issued, since the first event of the trace.
--   duration_ns  int64   [ns]          How long it took.
--   call_seq     int64   [position]    The call: seq of table syscall.
--
-- Shown:
--   call
--   file
--   process
--   time      = time_ns
--   duration  = duration_ns

select call, file, process_name.name as process, time_ns, duration_ns, seq as call_seq
from timed_call
join process_name using (process)
where class = 'storage' and duration_ns is not null
order by cost_ns desc, duration_ns desc, seq
limit least(parameter_top(), 200)
