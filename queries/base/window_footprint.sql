-- What windows touch
--
-- How many different bytes and files the requests of each window touch (touched_range), for the windows of parameter
-- windows and for windows as long as 4, 16, 64 and 256 of them, up to the whole trace. Windows without requests are
-- absent.
--
-- Source: iotrace; the working set is Denning's (1968).
-- Streamed: yes
--
-- Columns:
--   joined        int64  [windows]   How many windows of parameter windows make one.
--   window        int64  [position]  The window's number, from 0.
--   unique_bytes  int64  [bytes]     Different bytes touched in it, inodes and directories included.
--   unique_files  int64  [files]     Different files touched, inodes counted as separate files.

with joined as (
    select unnest([1, 4, 16, 64, 256]) as joined
),
piece as (
    select distinct joined, "window" // joined as "window", file, start_bytes, end_bytes
    from touched_range
    cross join joined
    cross join time_window
    where joined < 4 * windows
),
fresh as (
    select joined, "window", file,
           greatest(0, end_bytes - greatest(start_bytes, coalesce(max(end_bytes) over before, 0))) as bytes
    from piece
    window before as (partition by joined, "window", file order by start_bytes, end_bytes
                      rows between unbounded preceding and 1 preceding)
)
select joined, "window", sum(bytes) as unique_bytes, count(distinct file) as unique_files
from fresh
group by joined, "window"
