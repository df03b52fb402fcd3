-- Mappings whose I/O cannot be seen
--
-- Files mapped into memory are read and written without system calls: what the trace cannot show, by how it
-- was mapped. The bytes mapped are an upper bound of one pass over them, not of the I/O.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   protection    string?  [name]       The protection and sharing flags.
--   mappings      int64    [mappings]   How many mappings.
--   files         int64    [files]      Distinct files mapped.
--   processes     int64    [processes]  Distinct processes that mapped them.
--   mapped_bytes  int64    [bytes]      The mappings' lengths together.
--   file_bytes    int64?   [bytes]      The distinct files' sizes together (parameter file_size), if known.
--
-- Shown:
--   protection
--   mappings
--   files
--   processes
--   mapped        = mapped_bytes
--   size of files = file_bytes

with sized as (
    select file,
           case parameter_file_size()
               when 'first' then size_first_bytes
               when 'last' then size_last_bytes
               else size_largest_bytes
           end as size_bytes
    from file
),
mapped as (
    select protection, file, count(*) as mappings, sum(length) as mapped_bytes
    from mapping
    group by protection, file
),
mapper as (
    select protection, count(distinct (job, pid)) as processes
    from mapping
    left join process on process.process = mapping.process
    group by protection
)
select mapped.protection, sum(mappings) as mappings, count(*) as files, any_value(processes) as processes,
       sum(mapped_bytes) as mapped_bytes, sum(size_bytes) as file_bytes
from mapped
join mapper on mapper.protection is not distinct from mapped.protection
left join sized on sized.file = mapped.file
group by mapped.protection
order by mapped_bytes desc, mapped.protection
limit 200
