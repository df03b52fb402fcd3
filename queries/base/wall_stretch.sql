-- Stretches of wall time by state
--
-- The time of each process, and of the whole trace, in stretches at whose ends some thread enters or leaves a call, each
-- with its state. At each moment the state is storage if any of the threads is in such a call. Else, if any
-- is in no recorded call, it is computing (or waiting for a processor) where the trace records every call in which a
-- thread can wait (all_waits_recorded()), and not_recorded elsewhere: the thread computes, sleeps or waits. Else it is
-- tracer if the tracer, and no call, holds any; else runnable if any waits for a processor outside calls, else blocked if
-- any waits outside calls for something else (a page of a mapped file, or to go on after a stop), both only in recordings
-- that show it; else unknown if any is between a call without a recorded time and its
-- next event; else other, else waiting, where all threads are in calls. The whole trace is judged by all its threads, and
-- is unknown while none of them is there; of a part that has some processes only, such moments do not count, nor does
-- time between the recordings of a store of several.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   process   int32?  [identifier]  The process's first row in table process; missing for the whole trace.
--   state     string  [name]        storage, waiting, other, not_recorded, computing, runnable, blocked, tracer or unknown.
--   start_ns  int64   [ns]          When it began.
--   end_ns    int64   [ns]          When the next one began.

with placed as (
    select process, class, start_ns, end_ns from thread_interval where process is not null
    union all
    select null, class, start_ns, end_ns from thread_interval
),
edge as (
    select process, class, start_ns as at_ns, 1 as change from placed
    union all
    select process, class, end_ns, -1 from placed
),
moment as (
    select process, at_ns,
           sum(if(class = 'thread', change, 0)) as threads,
           sum(if(class not in ('thread', 'clock'), change, 0)) as calls, sum(if(class = 'clock', change, 0)) as clock,
           sum(if(class = 'storage', change, 0)) as storage, sum(if(class = 'unknown', change, 0)) as unknown,
           sum(if(class = 'other', change, 0)) as other, sum(if(class = 'tracer', change, 0)) as tracer,
           sum(if(class = 'runnable', change, 0)) as runnable, sum(if(class = 'blocked', change, 0)) as blocked
    from edge
    group by process, at_ns
),
stretch as (
    select process, at_ns as start_ns, lead(at_ns) over later as end_ns, sum(threads) over later as threads,
           sum(calls) over later as calls, sum(storage) over later as storage, sum(unknown) over later as unknown,
           sum(other) over later as other, sum(clock) over later as clock,
           sum(tracer) over later as tracer, sum(runnable) over later as runnable,
           sum(blocked) over later as blocked
    from moment
    window later as (partition by process order by at_ns rows between unbounded preceding and current row)
)
select process,
       case when storage > 0 then 'storage'
            when threads > calls then if(all_waits_recorded(), 'computing', 'not_recorded')
            when tracer > 0 then 'tracer'
            when runnable > 0 then 'runnable'
            when blocked > 0 then 'blocked'
            when unknown > 0 or threads = 0 then 'unknown'
            when other > 0 then 'other'
            else 'waiting' end as state,
       start_ns, end_ns
from stretch
where end_ns > start_ns and (threads > 0 or clock > 0 or process is not null)
