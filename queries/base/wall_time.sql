-- Wall time by state
--
-- How the wall time of each process, and of the whole trace, divides. At each moment the state is that
-- of view wall_stretch, which has the rule. The whole trace is judged by all its threads, and its states add up to the
-- clock's time, without that between the recordings of a store of several;
-- those of its processes add up to more if processes run at once. Of a part that has some processes only, moments when
-- none of them is there do not count.
--
-- Source: iotrace.
-- Family: syscall
-- Streamed: yes
--
-- Columns:
--   process  int32?  [identifier]  The process's first row in table process; missing for the whole trace.
--   state    string  [name]        as in view wall_stretch.
--   wall_ns  int64   [ns]          How long.

select process, state, sum(end_ns - start_ns) as wall_ns
from wall_stretch
group by process, state
