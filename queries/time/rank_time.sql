-- Time in I/O by rank and kind
--
-- How long each rank of a parallel program reads, writes, makes calls on metadata (open, stat, delete and the like)
-- and syncs. What MPI-IO takes holds what the layers below take: where MPI-IO takes longer than they do together,
-- its calls count, else theirs.
--
-- Source: iotrace; Darshan reports the same kinds.
-- Family: parallel_io
--
-- Columns:
--   process  string   [name]   The rank: its number, and its last program where the trace has it.
--   kind     string   [name]   read, write, metadata or sync.
--   calls    int64    [calls]  How many calls.
--   taken_s  double?  [s]      How long they took together; missing where the trace has no lengths.
--
-- Shown:
--   rank   = process
--   kind
--   calls
--   time   = taken_s

with called as (
    select process, operation, duration_ns, coalesce(layer = 'mpiio', false) as is_mpiio
    from parallel_io
    where operation not in ('barrier', 'compute', 'list_io')
),
counting as (
    select is_mpiio
    from called
    group by is_mpiio
    order by sum(duration_ns) desc nulls last, is_mpiio
    limit 1
)
select coalesce(process_name.name, '(unknown)') as process,
       case when operation in ('read', 'write', 'sync') then operation else 'metadata' end as kind,
       count(*) as calls, sum(duration_ns) / 1e9 as taken_s
from called
join counting using (is_mpiio)
left join process_name on process_name.process = called.process
group by called.process, process_name.name, kind
order by sum(sum(duration_ns)) over (partition by called.process) desc nulls last, called.process,
         list_position(['read', 'write', 'metadata', 'sync'], kind)
