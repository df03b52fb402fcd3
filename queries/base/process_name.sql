-- Names of processes
--
-- One row per row of table process: what a reader calls its process and its program. In a trace of no system calls, which
-- has no execs, a process without a program is called process N: N is its rank where the trace counts ranks. Where a store
-- has several recordings, N@JOB tells their processes apart.
--
-- Source: iotrace.
-- Materialize: yes
--
-- Columns:
--   process  int32    [identifier]  As in table process.
--   first    int32    [identifier]  The first row of its process.
--   pid      int32    [identifier]  The thread group's number in the kernel, which users call the process.
--   program  string   [name]        The path given to exec; (before the trace) where none was; else (unknown).
--   name     string   [name]        The process's number, and its last program; process N where that is unknown.

with last as (
    select process, min(process) over of_process as first, job, pid, program,
           arg_max(program, process) over of_process as last_program,
           exists (select 1 from parallel_io) or exists (select 1 from disk_io) as has_no_execs
    from process
    window of_process as (partition by job, pid)
)
select process, first, pid, coalesce(program, if(has_no_execs, '(unknown)', '(before the trace)')) as program,
       case when last_program is null and has_no_execs then 'process ' || pid
            else concat(pid, '@' || job, ' ', coalesce(last_program, '(before the trace)')) end as name
from last
