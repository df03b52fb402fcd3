-- Distances between requests to a disk, within parts of a trace
--
-- As disk_seek, of requests in the same part.
--
-- Source: iotrace.
-- Family: disk_io
-- Merge: by device, operation, backward, maximum_blocks
--
-- Columns:
--   device          int32   [identifier]       The disk.
--   operation       string  [name]             read, write or unknown: what the request does.
--   backward        bool    [truth]            Whether it starts before that place.
--   maximum_blocks  int64   [512-byte blocks]  The longest distance of the bin (power_of_two); 0 for none.
--   requests        int64   [requests]         How many.

with followed as (
    select device, operation, lbn, lag(lbn + blocks) over (partition by device order by seq) as reached
    from moved_disk_request
)
select device, operation, lbn < reached as backward, power_of_two(abs(lbn - reached)) as maximum_blocks,
       count(*) as requests
from followed
where reached is not null
group by all
