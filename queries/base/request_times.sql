-- When requests begin and end
--
-- One row: when the first and the last request of the population are issued; none without times.
--
-- Source: iotrace.
-- Merge: by part; times first_ns, last_ns
--
-- Columns:
--   part      int32  [position]  The part of the trace, of several that are counted apart; 0.
--   first_ns  int64  [ns]        When the first one is issued, since the start of the trace.
--   last_ns   int64  [ns]        When the last one is issued.

select 0 as part, min(time_ns) as first_ns, max(time_ns) as last_ns
from population_request
having min(time_ns) is not null
