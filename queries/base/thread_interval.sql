-- Intervals of threads
--
-- What each thread does when: one row for its time from its first event to its last, and one for each of its calls. A
-- call ends before its thread's next one begins, whatever a coarse clock says. One that did not return lasts until the
-- thread's next event. So does one whose time the trace does not record, as an interval of unknown class: how much of
-- it was spent in the call is not known.
--
-- Source: iotrace.
-- Materialize: yes
-- Family: syscall
--
-- Columns:
--   process   int32   [identifier]  A row of table process of the thread's process (its first).
--   class     string  [name]        thread for the thread's own time; else storage, waiting, other or unknown.
--   start_ns  int64   [ns]          When it began.
--   end_ns    int64   [ns]          When it ended.

with row_of_process as (
    select process, job, pid, min(process) over (partition by job, pid) as first_process from process
),
event as (
    select first_process as process, syscall.thread, syscall.seq, syscall.time_ns,
           timed_call.duration_ns, returned, class,
           lead(syscall.time_ns) over (
               partition by job, pid, syscall.thread order by syscall.time_ns, syscall.seq) as next_ns
    from syscall
    join row_of_process on row_of_process.process = syscall.process
    left join timed_call on timed_call.seq = syscall.seq
    where syscall.time_ns is not null
),
busy as (
    select process, thread, time_ns as start_ns,
           if(duration_ns is null and returned, 'unknown', class) as class,
           least(coalesce(time_ns + duration_ns, next_ns, time_ns), coalesce(next_ns, 9223372036854775807)) as end_ns
    from event
)
select process, 'thread' as class, min(start_ns) as start_ns, max(end_ns) as end_ns
from busy
group by process, thread
union all
select process, class, start_ns, end_ns
from busy
where class is not null and end_ns > start_ns
