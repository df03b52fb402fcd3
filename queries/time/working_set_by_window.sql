-- Working set by window length
--
-- How the working set grows with the length of the window: the average and the largest number of different
-- bytes touched in windows of one length. Lengths grow by four, from the windows of working_set_over_time to
-- the whole trace; windows without requests count as empty.
--
-- Source: iotrace; the working set is Denning's (1968).
--
-- Columns:
--   window_ns             int64   [ns]       The windows' length.
--   windows               int64   [windows]  How many there are.
--   average_unique_bytes  double  [bytes]    Different bytes in the average window.
--   largest_unique_bytes  int64   [bytes]    Different bytes in the largest.
--   average_unique_files  double  [files]    Different files in the average window.

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
),
each as (
    select joined, "window", sum(bytes) as unique_bytes, count(distinct file) as unique_files
    from fresh
    group by joined, "window"
)
select least(joined, windows) * width_ns as window_ns,
       (windows + joined - 1) // joined as windows,
       sum(unique_bytes) / ((windows + joined - 1) // joined) as average_unique_bytes,
       max(unique_bytes) as largest_unique_bytes,
       sum(unique_files) / ((windows + joined - 1) // joined) as average_unique_files
from each
cross join time_window
group by joined, windows, width_ns
order by joined
