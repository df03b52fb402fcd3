-- Wall time by process
--
-- How the wall time of each process, from its first event to its last, divides (see view wall_stretch for the rule): those
-- with most time in storage calls (parameter top). Processes that ran at once have more time together than the clock.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   process          string  [name]  The process's number, and its last program.
--   wall_ns          int64   [ns]    From its first event to its last.
--   storage_ns       int64   [ns]    Some thread is in a call on a file, a directory or a disk.
--   waiting_ns       int64   [ns]    All threads are in calls that wait.
--   other_ns         int64   [ns]    All threads are in calls, of which some are on memory, processes or signals.
--   not_recorded_ns  int64   [ns]    No thread is in a storage call, and some thread is in no recorded call: it computes, sleeps or waits.
--   computing_ns     int64   [ns]    The same where the trace records all calls in which a thread can wait, so that it computes; 0 elsewhere.
--   tracer_ns        int64   [ns]    What strace adds to calls is all that holds any of its threads.
--   unknown_ns       int64   [ns]    A call's time or descriptor is not known.
--   runnable_ns      int64?  [ns]    No thread is in a storage call or computes, and some thread waits for a processor; missing where the recording shows none.
--   blocked_ns       int64?  [ns]    The same, and some thread waits outside calls, as for a page of a mapped file; missing where the recording shows none.
--
-- Shown:
--   process
--   wall time    = wall_ns
--   storage      = storage_ns
--   waiting      = waiting_ns
--   other        = other_ns
--   not recorded = not_recorded_ns
--   computing    = computing_ns
--   tracer       = tracer_ns
--   unknown      = unknown_ns
--   runnable     = runnable_ns
--   blocked      = blocked_ns

with spent as (
    select process, sum(wall_ns) as wall_ns,
           coalesce(sum(wall_ns) filter (state = 'storage'), 0) as storage_ns,
           coalesce(sum(wall_ns) filter (state = 'waiting'), 0) as waiting_ns,
           coalesce(sum(wall_ns) filter (state = 'other'), 0) as other_ns,
           coalesce(sum(wall_ns) filter (state = 'not_recorded'), 0) as not_recorded_ns,
           coalesce(sum(wall_ns) filter (state = 'computing'), 0) as computing_ns,
           coalesce(sum(wall_ns) filter (state = 'tracer'), 0) as tracer_ns,
           coalesce(sum(wall_ns) filter (state = 'unknown'), 0) as unknown_ns,
           sum(wall_ns) filter (state = 'runnable') as runnable_ns,
           sum(wall_ns) filter (state = 'blocked') as blocked_ns
    from wall_time
    where process is not null
    group by process
)
select name as process, wall_ns, storage_ns, waiting_ns, other_ns, not_recorded_ns, computing_ns, tracer_ns, unknown_ns,
       runnable_ns, blocked_ns
from spent
join process_name on process_name.process = spent.process
order by storage_ns desc, wall_ns desc, spent.process
limit least(parameter_top(), 200)
