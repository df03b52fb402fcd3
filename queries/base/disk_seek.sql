-- Distances between requests to a disk
--
-- How far each request of view moved_disk_request starts from where the one before to the same disk ended, in bins by
-- powers of two: see seek_distances.
--
-- Source: iotrace.
-- Streamed: yes
-- Family: disk_io
--
-- Columns:
--   device          int32   [identifier]       The disk.
--   operation       string  [name]             read, write or unknown: what the request does.
--   backward        bool    [truth]            Whether it starts before that place.
--   maximum_blocks  int64   [512-byte blocks]  The longest distance of the bin (power_of_two); 0 for none.
--   requests        int64   [requests]         How many.

with between as (
    select device, first_operation as operation, first_lbn as lbn,
           lag(reached) over (partition by device order by part) as reached
    from disk_ends
)
select device, operation, backward, maximum_blocks, sum(requests) as requests
from (
    select device, operation, backward, maximum_blocks, requests from disk_seek_within
    union all
    select device, operation, lbn < reached, power_of_two(abs(lbn - reached)), 1
    from between
    where reached is not null
)
group by device, operation, backward, maximum_blocks
