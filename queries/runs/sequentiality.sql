-- Sequentiality of requests
--
-- Where each request for a file starts, seen from where the last one of the same use ended: sequential
-- requests go on from there, others jump forward or backward. A turn goes on at the same place in the other
-- direction. The read of a whole executable, which the model makes where the loader maps it, is left out: of
-- executables, these are the loader's own reads.
--
-- Source: iotrace.
--
-- Columns:
--   type                string   [name]      executable, datafile or disk.
--   direction           string   [name]      read, write or, if runs may mix, read_write.
--   requests            int64    [requests]  All requests.
--   sequential          int64    [requests]  Those that start where the last one ended.
--   sequential_percent  double?  [percent]   Their share of all but the first of each use.
--   first               int64    [requests]  The first of their use.
--   turned              int64    [requests]  Those that start where the last one ended in the other direction.
--   forward             int64    [requests]  Those that skip something.
--   backward            int64    [requests]  Those that go back.
--   unknown             int64    [requests]  Those whose place, or whose predecessor's, is unknown.

with started as (
    select type, direction, requests, offset_bytes,
           lag(first_seq) over each_use is null as first,
           lag(offset_bytes + length_bytes) over each_use as reached
    from sequential_run
    where not whole_executable
    window each_use as (partition by use, file, type, process order by first_seq)
)
select type, direction, sum(requests) as requests,
       sum(requests - 1) as sequential,
       percent_of(sum(requests - 1), sum(requests) - count(*) filter (first)) as sequential_percent,
       count(*) filter (first) as first,
       count(*) filter (not first and offset_bytes = reached) as turned,
       count(*) filter (not first and offset_bytes > reached) as forward,
       count(*) filter (not first and offset_bytes < reached) as backward,
       count(*) filter (not first and (offset_bytes is null or reached is null)) as unknown
from started
group by type, direction
order by type_order(type), direction
