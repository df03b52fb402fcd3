-- What requests move in each window
--
-- The requests of each window (parameter windows) by type, and what moves in it: see requests_over_time.
--
-- Source: iotrace.
-- Streamed: yes
--
-- Columns:
--   window         int64   [position]  The window's number, from 0.
--   type           string  [name]      inode, directory, executable, datafile or disk.
--   requests       int64   [requests]  Requests that begin in it.
--   bytes_read     int64   [bytes]     What reads move in it.
--   bytes_written  int64   [bytes]     What writes and updates move in it.

with timed as (
    select type, writes, length, width_ns, windows, time_ns,
           greatest(coalesce(duration_ns, 0), 1) as taken_ns, time_ns // width_ns as first_window,
           -- a sum beyond 64 bits ends with them
           time_ns + least(taken_ns - 1, 9223372036854775807 - greatest(time_ns, 0)) as last_ns
    from request
    cross join time_window
    where time_ns is not null and in_population(type, unmoved)
),
placed as (
    select *, least(last_ns // width_ns, windows - 1) as last_window from timed
),
long_piece as (
    select *, unnest(range(first_window, last_window + 1)) as "window"
    from placed
    where last_window > first_window
),
piece as (
    select first_window as "window", type, writes, 1 as requests, length as bytes
    from placed
    where last_window <= first_window
    union all
    -- what moved until the window's end, less what moved until its start: the parts sum to the length
    select "window", type, writes, ("window" = first_window)::bigint as requests,
           (length::hugeint * least(("window"::hugeint + 1) * width_ns - time_ns, taken_ns) // taken_ns
            - length::hugeint * greatest("window"::hugeint * width_ns - time_ns, 0) // taken_ns)::bigint as bytes
    from long_piece
)
select "window", type, sum(requests) as requests, coalesce(sum(bytes) filter (not writes), 0) as bytes_read,
       coalesce(sum(bytes) filter (writes), 0) as bytes_written
from piece
group by "window", type
