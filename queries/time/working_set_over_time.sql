-- Working set over time
--
-- How many different bytes the workload touches in each window (parameter windows): the cache that the window
-- alone would fill. Windows without requests are absent.
--
-- Source: iotrace; the working set is Denning's (1968).
--
-- Columns:
--   window        int64  [position]  The window's number, from 0.
--   start_ns      int64  [ns]        When it starts.
--   end_ns        int64  [ns]        When the next one starts.
--   unique_bytes  int64  [bytes]     Different bytes touched in the window, inodes and directories included.
--   unique_files  int64  [files]     Different files touched, inodes counted as separate files.
--
-- Shown:
--   window
--   start       = start_ns
--   end         = end_ns
--   working set = unique_bytes
--   files       = unique_files

select "window", "window" * width_ns as start_ns, ("window" + 1) * width_ns as end_ns, unique_bytes, unique_files
from window_footprint
cross join time_window
where joined = 1
order by "window"
