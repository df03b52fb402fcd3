-- Events of threads
--
-- How long a thread was in each row of table syscall. A call ends before its thread's next one begins,
-- whatever a coarse clock says. One that did not return lasts until the thread's next event. So does one whose time the
-- trace does not record, of unknown class: how much of it was spent in the call is not known. Where it is known what the tracer adds (see
-- timed_call), the part of a call that is the tracer's, and what it adds after the call, up to the thread's next event
-- at most, is a row of class tracer; which part of the call that is, is not known, and it is put last. Where a recording
-- shows when threads have no processor (table off_cpu), such times outside calls are rows of class blocked, and then
-- runnable.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   process   int32    [identifier]  The row of table process that made it.
--   first     int32    [identifier]  The first row of its process.
--   thread    int32    [identifier]  As in table syscall.
--   class     string?  [name]        storage, waiting, other, unknown, tracer, blocked or runnable; missing for rows that are not calls.
--   start_ns  int64    [ns]          When it began.
--   end_ns    int64    [ns]          When it ended.

with row_of_process as (
    select process, min(process) over (partition by job, pid) as first_process from process
),
own_row as ( -- of what happens to a thread: calls, and its end; all are put in order, so a class takes a byte
    select seq, time_ns, process, thread, duration_ns, net_ns, returned,
           class::enum('storage', 'waiting', 'other', 'unknown') as class
    from costed_call
    union all
    select seq, time_ns, process, thread, null, null, null, null
    from syscall
    where is_no_call(call)
),
event as (
    select own_row.* exclude (seq), first_process,
           lead(time_ns) over (partition by first_process, thread order by time_ns, seq) as next_ns
    from own_row
    join row_of_process on row_of_process.process = own_row.process
    where time_ns is not null
),
called as (
    select *, least(coalesce(time_ns + duration_ns, next_ns, time_ns), coalesce(next_ns, 9223372036854775807)) as end_ns
    from event
)
select process, first_process as first, thread, if(duration_ns is null and returned, 'unknown', class) as class,
       time_ns as start_ns, if(net_ns is null, end_ns, least(time_ns + net_ns, end_ns)) as end_ns
from called
union all
select process, first_process, thread, 'tracer', least(time_ns + net_ns, end_ns),
       least(end_ns + tracing_overhead().outside_ns, coalesce(next_ns, end_ns))
from called
where net_ns is not null
union all
select off_cpu.process, first_process, thread, state.class,
       time_ns + if(state.class = 'blocked', 0, blocked_ns), time_ns + if(state.class = 'blocked', blocked_ns, duration_ns)
from off_cpu
join row_of_process on row_of_process.process = off_cpu.process
cross join (select unnest(['blocked', 'runnable']) as class) as state
where call is null
