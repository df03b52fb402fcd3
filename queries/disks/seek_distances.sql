-- Seek distances
--
-- How far each request starts from where the one before to the same disk ended, in the order of arrival, in bins by powers
-- of two. A request of distance 0 is sequential.
--
-- Source: iotrace; the histogram is that of Ahmad (2007).
-- Family: disk_io
--
-- Columns:
--   operation               string  [name]      read or write: what the request does; unknown if the trace does not state it.
--   direction               string  [name]      backward, none or forward.
--   maximum_distance_bytes  int64   [bytes]     The longest distance of the bin; the shortest is just above half of it.
--   requests                int64   [requests]  How many.
--   requests_percent        double  [percent]   Their share of all.
--
-- Shown:
--   operation
--   direction
--   distance up to = maximum_distance_bytes
--   requests
--   requests %     = requests_percent

with counted as (
    select operation, case when maximum_blocks = 0 then 'none' when backward then 'backward' else 'forward' end as direction,
           least(512::hugeint * maximum_blocks, 9223372036854775807)::bigint as maximum_distance_bytes,
           sum(requests) as requests
    from disk_seek
    group by all
)
select operation, direction, maximum_distance_bytes, requests,
       percent_of(requests, sum(requests) over ()) as requests_percent
from counted
order by operation, list_position(['backward', 'none', 'forward'], direction),
         if(direction = 'backward', -1, 1) * (maximum_distance_bytes::hugeint)
