-- Wall time by state
--
-- How the wall time of each process, and of the whole trace, divides. At each moment the state is storage if any of
-- the threads is in such a call; else computing if any is in no call (or not scheduled, which a trace of calls cannot
-- show); else unknown if any is between a call without a recorded time and its next event; else other, else waiting,
-- where all threads are in calls. The whole trace is judged by all its threads, and its states add up to the clock's time;
-- those of its processes add up to more if processes run at once. Of a part that has some processes only, moments when
-- none of them is there do not count.
--
-- Source: iotrace.
-- Family: syscall
-- Streamed: yes
--
-- Columns:
--   process  int32?  [identifier]  The process's first row in table process; missing for the whole trace.
--   state    string  [name]        storage, computing, waiting, other or unknown.
--   wall_ns  int64   [ns]          How long.

select process, state, sum(end_ns - start_ns) as wall_ns
from wall_stretch
group by process, state
