-- Events of threads
--
-- One row per row of table syscall: how long its thread was in it. A call ends before its thread's next one begins,
-- whatever a coarse clock says. One that did not return lasts until the thread's next event. So does one whose time the
-- trace does not record, of unknown class: how much of it was spent in the call is not known.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   process   int32    [identifier]  The row of table process that made it.
--   first     int32    [identifier]  The first row of its process.
--   thread    int32    [identifier]  As in table syscall.
--   class     string?  [name]        storage, waiting, other or unknown; missing for what is no call.
--   start_ns  int64    [ns]          When it began.
--   end_ns    int64    [ns]          When it ended.

with row_of_process as (
    select process, job, pid, min(process) over (partition by job, pid) as first_process from process
),
event as (
    select syscall.process, first_process, syscall.thread, syscall.time_ns, timed_call.duration_ns, returned, class,
           lead(syscall.time_ns) over (
               partition by job, pid, syscall.thread order by syscall.time_ns, syscall.seq) as next_ns
    from syscall
    join row_of_process on row_of_process.process = syscall.process
    left join timed_call on timed_call.seq = syscall.seq
    where syscall.time_ns is not null
)
select process, first_process as first, thread,
       if(duration_ns is null and returned, 'unknown', class) as class, time_ns as start_ns,
       least(coalesce(time_ns + duration_ns, next_ns, time_ns), coalesce(next_ns, 9223372036854775807)) as end_ns
from event
