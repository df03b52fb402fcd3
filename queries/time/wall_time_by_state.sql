-- Wall time by state
--
-- How the wall time divides over storage calls, waiting and the rest (see view wall_stretch for the rule): that of the
-- clock, with all threads of the trace taken together, and those of the processes, each by its own threads, added up,
-- which is more than the clock's if processes ran at once.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   scope    string   [name]     clock, or processes for the sum over them.
--   state    string   [name]     as in view wall_stretch.
--   wall_ns  int64    [ns]       How long.
--   percent  double?  [percent]  Its share.
--
-- Also:
--   meaning  string  [text]  What the state means.
--
-- Shown:
--   scope if several
--   state
--   time  = wall_ns
--   share = percent with bar
--   meaning

select if(process is null, 'clock', 'processes') as scope, state, sum(wall_ns) as wall_ns,
       percent_of(sum(wall_ns), sum(sum(wall_ns)) over (partition by process is null)) as percent
from wall_time
group by process is null, state
order by scope, list_position(['storage', 'waiting', 'other', 'not_recorded', 'computing', 'runnable', 'blocked', 'tracer', 'unknown'], state)
