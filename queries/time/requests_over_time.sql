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
--
-- Shown:
--   window
--   start = start_ns
--   end   = end_ns
--   type
--   requests
--   bytes read
--   bytes written

with type_seen as (
    select distinct type from window_load
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
left join window_load on window_load."window" = complete."window" and window_load.type = type_seen.type
order by complete."window", type_order(type_seen.type)
