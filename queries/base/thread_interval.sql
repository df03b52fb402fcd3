-- Intervals of threads
--
-- What each thread does when: one row for its time from its first event to its last, and one for each of its calls (see
-- view thread_event); and one for the clock's time, from the first event of all to the last, of each recording of a store
-- of several. In a part of a trace, these are the intervals of table part_interval: a thread is there from its first event
-- in the whole trace to its last, within the bounds of the part.
--
-- Source: iotrace.
-- Materialize: yes
-- Family: syscall
--
-- Columns:
--   process   int32?  [identifier]  A row of table process of the thread's process (its first); missing for clock.
--   class     string  [name]        thread for the thread's own time; else storage, waiting, other, unknown, tracer, blocked or runnable. The class clock is the clock's time; a part that has some processes only is without it.
--   start_ns  int64   [ns]          When it began.
--   end_ns    int64   [ns]          When it ended.

with part as (
    select count(*) > 0 as is_part from part_interval
),
busy as (
    select * from thread_event where not (select is_part from part)
)
select first as process, 'thread' as class, min(start_ns) as start_ns, max(end_ns) as end_ns
from busy
group by first, thread
union all
select first, class, start_ns, end_ns
from busy
where class is not null and end_ns > start_ns
union all
select null, 'clock', min(start_ns), max(end_ns)
from (select process, min(start_ns) as start_ns, max(end_ns) as end_ns from busy group by process)
join process using (process)
group by job
union all
select process, class, start_ns, end_ns
from part_interval
where class <> 'part'
