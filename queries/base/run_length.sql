-- Runs in bins of length
--
-- The runs of files (sequential_run), and each request for an inode or directory as a run, by type and length. Runs of
-- unknown length are left out.
--
-- Source: Richardson 1994, section 3.3.2.
-- Streamed: yes
--
-- Columns:
--   type                  string  [name]   inode, directory, executable, datafile or disk.
--   maximum_length_bytes  int64   [bytes]  The longest run of the bin (power_of_two).
--   runs                  int64   [runs]   Runs.
--   bytes                 int64   [bytes]  Bytes that they move.

with length_count as (
    select type, length_bytes, count(*) as runs from sequential_run group by type, length_bytes
    union all
    select type, length, count(*) from request where type in ('inode', 'directory') group by type, length
)
select type, power_of_two(length_bytes) as maximum_length_bytes, sum(runs) as runs,
       sum(runs * length_bytes) as bytes
from length_count
where length_bytes is not null
group by all
