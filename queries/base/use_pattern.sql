-- Uses by pattern
--
-- Uses of datafiles by what they do and how: see access_patterns.
--
-- Source: iotrace; Baker et al. 1991, table 3, divides uses so.
-- Streamed: yes
--
-- Columns:
--   access   string  [name]   read, write or read_write: what the use does.
--   pattern  string  [name]   whole_file, sequential or random.
--   uses     int64   [uses]   Uses of datafiles in which something moved.
--   bytes    int64   [bytes]  What they moved.

with each_use as (
    select use,
           case when bool_and(direction = 'read') then 'read' when bool_and(direction = 'write') then 'write'
                else 'read_write' end as access,
           case when count(*) > 1 then 'random'
                when bool_and(offset_bytes = 0 and length_bytes >= file_size_bytes) then 'whole_file'
                else 'sequential' end as pattern,
           coalesce(sum(length_bytes), 0) as bytes
    from sequential_run
    where type = 'datafile' and use is not null
    group by use
)
select access, pattern, count(*) as uses, sum(bytes) as bytes
from each_use
group by access, pattern
