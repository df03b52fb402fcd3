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
--
-- Shown:
--   window              = window_ns
--   windows
--   average working set = average_unique_bytes
--   largest working set = largest_unique_bytes
--   average files       = average_unique_files

select least(joined, windows) * width_ns as window_ns,
       (windows + joined - 1) // joined as windows,
       sum(unique_bytes) / ((windows + joined - 1) // joined) as average_unique_bytes,
       max(unique_bytes) as largest_unique_bytes,
       sum(unique_files) / ((windows + joined - 1) // joined) as average_unique_files
from window_footprint
cross join time_window
group by joined, windows, width_ns
order by joined
