-- Requests by size, in bins
--
-- Requests for datafiles, executables and disks by what they move and by what they ask for: see requests_by_size.
--
-- Source: iotrace.
-- Merge: by type, maximum_size_bytes
--
-- Columns:
--   type                string  [name]      datafile, executable or disk.
--   maximum_size_bytes  int64   [bytes]     The largest size of the bin (power_of_two).
--   moved               int64   [requests]  Requests that move as much.
--   asked               int64   [requests]  Requests that ask for as much.

with size_count as (
    select type, length, requested, count(*) as requests
    from request
    where type not in ('inode', 'directory')
    group by all
),
binned as (
    select type, power_of_two(length) as maximum_size_bytes, requests as moved, 0 as asked
    from size_count where length is not null
    union all
    select type, power_of_two(requested), 0, requests
    from size_count where requested is not null
)
select type, maximum_size_bytes, sum(moved) as moved, sum(asked) as asked
from binned
group by type, maximum_size_bytes
