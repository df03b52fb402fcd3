-- Cgroups by time in storage calls
--
-- What the processes of each cgroup (service, container) do, of recordings by BPF programs; a thread counts for the cgroup
-- in which the recorder saw it at its first call of its program. Of threads that ended before the recorder looked, the
-- cgroup is missing. The 200 with most time.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   cgroup         string?  [name]       Its path; missing for threads of which it is not known.
--   processes      int64    [processes]  Processes of which a thread was in it.
--   calls          int64    [calls]      Their calls.
--   storage_calls  int64    [calls]      Those on storage.
--   storage_s      double?  [s]          How long these took together; missing if none has a time.
--   bytes_read     int64    [bytes]      What their calls read of files.
--   bytes_written  int64    [bytes]      What their calls wrote.
--
-- Shown:
--   cgroup
--   processes
--   calls
--   storage calls = storage_calls
--   storage       = storage_s
--   read          = bytes_read
--   written       = bytes_written

with of_process as (
    select process.process, job, pid, min(cgroup)::varchar as cgroup
    from process
    left join process_cgroup on process_cgroup.process = process.process
    where exists (select 1 from process_cgroup)
    group by process.process, job, pid
),
called as (
    select cgroup, count(*) as calls, count(*) filter (class = 'storage') as storage_calls,
           sum(duration_ns) filter (class = 'storage') / 1e9 as storage_s
    from timed_call
    join of_process using (process)
    group by cgroup
),
moved as (
    select cgroup, sum(length) filter (operation = 'read') as bytes_read,
           sum(length) filter (operation in ('write', 'update')) as bytes_written
    from reference
    join of_process using (process)
    where type = 'datafile'
    group by cgroup
)
select of_process.cgroup, count(distinct (job, pid)) as processes, coalesce(any_value(calls), 0) as calls,
       coalesce(any_value(storage_calls), 0) as storage_calls, any_value(storage_s) as storage_s,
       coalesce(any_value(bytes_read), 0)::bigint as bytes_read,
       coalesce(any_value(bytes_written), 0)::bigint as bytes_written
from of_process
left join called on called.cgroup is not distinct from of_process.cgroup
left join moved on moved.cgroup is not distinct from of_process.cgroup
group by of_process.cgroup
order by storage_s desc nulls last, calls desc, of_process.cgroup
limit 200
