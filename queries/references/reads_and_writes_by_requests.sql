-- Reads and writes: requests
--
-- How the requests of each type divide into reads and writes, inode updates counted as writes; the last row
-- is the total. Where the trace does not state directions (undirected), only the sums are there.
--
-- Source: Richardson 1994, table 3.3, section 3.2.1.
--
-- Columns:
--   type                string   [name]      inode, directory, executable, datafile or disk; or total.
--   requests            int64    [requests]  All requests of the type.
--   requests_percent    double?  [percent]   Their share of the requests of all types.
--   reads               int64?   [requests]  Those that read.
--   writes              int64?   [requests]  Those that write or update.
--   type_read_percent   double?  [percent]   The type's reads, as a share of the type.
--   type_write_percent  double?  [percent]   The type's writes, as a share of the type.
--   all_read_percent    double?  [percent]   The type's reads, as a share of all types.
--   all_write_percent   double?  [percent]   The type's writes, as a share of all types.
--
-- Shown:
--   type
--   requests
--   requests %       = requests_percent
--   reads
--   writes
--   reads % of type  = type_read_percent
--   writes % of type = type_write_percent
--   reads % of all   = all_read_percent
--   writes % of all  = all_write_percent

with by_type as (
    select coalesce(type, 'total') as type, grouping(type) as is_total,
           sum(reads) as reads, sum(updates + writes) as writes
    from static_object
    group by rollup (type)
),
whole as (
    select sum(reads + writes) as requests from by_type where is_total = 1
)
select type, reads + writes as requests,
       percent_of(reads + writes, whole.requests) as requests_percent,
       if(undirected = 0, by_type.reads, null) as reads,
       if(undirected = 0, by_type.writes, null) as writes,
       if(undirected = 0, percent_of(reads, reads + writes), null) as type_read_percent,
       if(undirected = 0, percent_of(writes, reads + writes), null) as type_write_percent,
       if(undirected = 0, percent_of(reads, whole.requests), null) as all_read_percent,
       if(undirected = 0, percent_of(writes, whole.requests), null) as all_write_percent
from by_type
cross join whole
cross join undirected
where reads is not null
order by is_total, type_order(type)
