-- System calls
--
-- One row per row of table syscall that is a system call: the ends of processes (process_exited,
-- process_killed, process_superseded, process_detached) and places where the recorder lost records
-- (records_lost), which are there too, are left out. What counts calls counts these.
--
-- Source: iotrace.
--
-- Columns:
--   seq          int64   [position]    As in table syscall.
--   time_ns      int64?  [ns]          As in table syscall.
--   duration_ns  int64?  [ns]          As in table syscall.
--   thread       int32   [identifier]  As in table syscall.
--   process      int32   [identifier]  As in table syscall.
--   call         string  [name]        The system call's name.
--   result       int64?  [value]       As in table syscall.
--   error        string? [name]        As in table syscall.

select seq, time_ns, duration_ns, thread, process, call, result, error
from syscall
where not is_no_call(call)
