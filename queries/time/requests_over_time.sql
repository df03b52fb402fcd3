-- Requests and bytes over time
--
-- What the workload asks for as it proceeds: requests and bytes by type, in windows of equal length
-- (parameter windows). Windows in which nothing happens are zero, not missing.
--
-- Source: iotrace.
--
-- Columns:
--   window         int64   [position]  The window's number, from 0.
--   start_ns       int64   [ns]        When it starts.
--   end_ns         int64   [ns]        When the next one starts.
--   type           string  [name]      inode, directory, executable, datafile or disk.
--   requests       int64   [requests]  Requests issued in the window.
--   bytes_read     int64   [bytes]     Bytes that its reads moved.
--   bytes_written  int64   [bytes]     Bytes that its writes and updates moved.

with counted as (
    select time_ns // width_ns as "window", type, count(*) as requests,
           sum(length) filter (not writes) as bytes_read,
           sum(length) filter (writes) as bytes_written
    from request
    cross join time_window
    where time_ns is not null
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
