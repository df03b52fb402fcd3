-- Calls by place
--
-- One row per call or request of any family but caches and job counters, with the places that a flame graph nests it
-- in. Of system calls the outermost is the program; of parallel programs the rank, and only calls of the lowest layer
-- are here, so that no byte counts twice; of disks the disk.
--
-- Source: iotrace.
-- Family: syscall, parallel_io, disk_io
--
-- Columns:
--   seq        int64    [position]  The call: seq of the native table.
--   outermost  string   [name]      The program, the rank or the disk.
--   directory  string?  [name]      The directory of the file, or a word in parentheses where there is none (view timed_call); of disks the process, where the trace has it.
--   file       string?  [name]      The name of the file in its directory; missing where the call is on the directory, or on no file.
--   call       string   [name]      The call, or the operation; (unknown) where the trace does not say.
--   cost_ns    int64?   [ns]        How long it took, without what the tracer adds where that is known (view timed_call).
--   bytes      int64?   [bytes]     What it moved; missing where it moves nothing, or that is not known.

with named as (
    select seq, program as outermost, directory, if(file = directory, null, file) as path, call, cost_ns, bytes
    from timed_call
    join process_name using (process)
    union all
    select seq, if(process.job is null, '', 'job ' || process.job || ', ') || coalesce(process_name.name, '(unknown)'),
           case when not contains(file.path, '/') then null
                when regexp_full_match(file.path, '/[^/]*') then '/'
                else regexp_replace(file.path, '/[^/]*$', '') end,
           coalesce(file.path, '(no file)'), operation, duration_ns, if(operation in ('read', 'write'), length, null)
    from lowest_layer_call
    left join file using (file)
    left join process using (process)
    left join process_name using (process)
    where operation not in ('compute', 'list_io')
    union all
    select seq, device, coalesce(program, pid::varchar), null, coalesce(operation, '(unknown)'), latency_ns, blocks * 512
    from disk_request
    where (select count(*) from syscall) = 0
)
select seq, outermost, directory,
       if(directory is not null and starts_with(path, '/'), regexp_extract(path, '[^/]*$'), path) as file,
       call, cost_ns, bytes
from named
