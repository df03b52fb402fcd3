-- Requests and bytes over time
--
-- What the workload asks for as it proceeds, of the population (parameter population): requests and bytes by type,
-- in windows of equal length (parameter windows). Bytes are divided over the windows in proportion to the time that their request spends in
-- each, from when it is issued to its end; without a duration, all are in the window in which it is issued. A
-- request's parts are whole bytes that sum to its length. Windows in which nothing happens are zero, not missing.
--
-- Source: iotrace.
--
-- Columns:
--   window         int64   [position]  The window's number, from 0.
--   start_ns       int64   [ns]        When it starts.
--   end_ns         int64   [ns]        When the next one starts.
--   type           string  [name]      inode, directory, executable, datafile or disk.
--   requests       int64   [requests]  Requests issued in the window.
--   bytes_read     int64   [bytes]     Bytes that reads moved in the window.
--   bytes_written  int64   [bytes]     Bytes that writes and updates moved in the window.

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
),
counted as (
    select "window", type, sum(requests) as requests,
           sum(bytes) filter (not writes) as bytes_read,
           sum(bytes) filter (writes) as bytes_written
    from piece
    group by all
),
type_seen as (
    select distinct type from counted
),
complete as (
    select unnest(range(windows)) as "window", width_ns from time_window where windows is not null
)
select complete."window", complete."window" * width_ns as start_ns, (complete."window" + 1) * width_ns as end_ns,
       type_seen.type,
       coalesce(requests, 0) as requests,
       coalesce(bytes_read, 0) as bytes_read,
       coalesce(bytes_written, 0) as bytes_written
from complete
cross join type_seen
left join counted on counted."window" = complete."window" and counted.type = type_seen.type
order by complete."window", type_order(type_seen.type)
