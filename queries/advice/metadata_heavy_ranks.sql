-- {path} spends much of its I/O time on opens, closes, stats and the like{others}
--
-- A metadata server serves the opens and closes of all ranks of all jobs; they do not scale with the number of disks.
--
-- Source: iotrace; Drishti (Bez and others 2022) warns of the same.
-- Family: parallel_io
-- Change: Open files once, on one rank
-- Do: Open files once and keep them open, let one rank look and tell the others (MPI_Bcast), write one shared file or one for each node instead of one for each rank and step.
-- Check: Record again: opens and closes take less time.
-- Confidence: high. The time is that of the calls.
--
-- Thresholds:
--   least_calls    100  Such calls by one rank.
--   least_percent  30   Their part of its I/O time.

with called as (
    select name as process, duration_ns,
           operation not in ('read', 'write', 'sync') as of_metadata
    from parallel_io
    join process_name using (process)
    where operation not in ('barrier', 'compute', 'list_io') and duration_ns is not null
      and coalesce(layer, 'posix') <> 'mpiio'
)
select process as path, null as process, count(*) filter (of_metadata) as number, 'calls' as unit,
       sum(duration_ns) filter (of_metadata) / 1e9 as at_stake_s, null as at_stake_bytes
from called
group by called.process
having count(*) filter (of_metadata) >= $least_calls
   and sum(duration_ns) filter (of_metadata) >= $least_percent / 100 * sum(duration_ns)
