-- Time in storage calls by cause
--
-- How the time in storage calls divides over waiting for a disk and the rest (see view storage_time for the rules), by
-- call: the ten that took longest, and the others together. The times of threads are added up. There are rows only where
-- a recording has the requests to disks (iotrace record --kernel).
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   call      string  [name]     The system call's name, or (others).
--   cause     string  [name]     device, queued, memory, blocked, runnable, running, or other where the recording does not show the three before it.
--   taken_ns  int64   [ns]       How long, over all calls and threads.
--   percent   double  [percent]  Its share of the time in all storage calls.
--
-- Shown:
--   call
--   cause
--   time  = taken_ns
--   share = percent with bar

with part as (
    select call, unnest([
        {'position': 1, 'cause': 'device', 'taken_ns': device_ns}, {'position': 2, 'cause': 'queued', 'taken_ns': queued_ns},
        {'position': 3, 'cause': 'memory', 'taken_ns': memory_ns},
        {'position': 4, 'cause': 'blocked', 'taken_ns': other_blocked_ns},
        {'position': 5, 'cause': 'runnable', 'taken_ns': other_runnable_ns},
        {'position': 6, 'cause': 'running', 'taken_ns': other_running_ns},
        {'position': 7, 'cause': 'other', 'taken_ns': if(other_running_ns is null, other_ns, 0)}
    ], recursive := true)
    from storage_time
    join syscall using (seq)
),
ranked as (
    select call, row_number() over (order by sum(taken_ns) desc, call) as place
    from part
    group by call
)
select if(place <= 10, call, '(others)') as call, cause, sum(taken_ns)::bigint as taken_ns,
       percent_of(sum(taken_ns), sum(sum(taken_ns)) over ()) as percent
from part
join ranked using (call)
group by if(place <= 10, call, '(others)'), cause
having sum(taken_ns) > 0
order by min(place), min(position)
