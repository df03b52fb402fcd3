-- Names of processes
--
-- One row per row of table process: what a reader calls its process and its program.
--
-- Source: iotrace.
-- Materialize: yes
--
-- Columns:
--   process  int32    [identifier]  As in table process.
--   pid      int32    [identifier]  The thread group's number in the kernel, which users call the process.
--   program  string   [name]        The path given to exec; (before the trace) where none was.
--   name     string   [name]        The process's number, and its last program.

select process, pid, coalesce(program, '(before the trace)') as program,
       pid || ' ' || coalesce(arg_max(program, process) over (partition by job, pid), '(before the trace)') as name
from process
