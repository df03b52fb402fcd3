-- Machines of ranks
--
-- One row per job and rank whose machine the log names: extended tracing and module APMPI do.
--
-- Source: iotrace.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   job   int32   [identifier]  The log.
--   rank  int64   [identifier]  The rank.
--   node  string  [name]        The machine's name; of several the first in order.

select job, rank, min("text") as node
from darshan_record
where module in ('APMPI', 'DXT_POSIX', 'DXT_MPIIO') and "text" is not null and rank >= 0
group by job, rank
