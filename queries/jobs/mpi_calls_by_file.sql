-- Collective calls and what POSIX makes of them
--
-- One row per file and kind of calls of MPI-IO, those with most time first: how many are collective, how many requests of which
-- size POSIX has below, and how many bytes move for each byte that was asked for. More than one is data sieving.
--
-- Source: iotrace.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   path                string   [name]      The file's path.
--   kind                string   [name]      read or write.
--   spent_s             double   [s]         Time of the calls, added up over ranks.
--   calls               int64    [calls]     Calls of MPI-IO.
--   collective_percent  double?  [percent]   The share that is collective.
--   mean_bytes          double?  [bytes]     What one moved on average.
--   calls_below         int64    [calls]     Requests of POSIX.
--   mean_below_bytes    double?  [bytes]     What one moved on average.
--   bytes               int64    [bytes]     What MPI-IO moved.
--   bytes_below         int64    [bytes]     What POSIX moved.
--   times_moved         double?  [ratio]     That over what MPI-IO moved.
--
-- Shown:
--   path
--   kind
--   time         = spent_s
--   calls
--   collective   = collective_percent
--   mean size    = mean_bytes
--   below: calls = calls_below
--   mean size below = mean_below_bytes
--   bytes
--   bytes below
--   times moved

select path, kind, spent_s, calls, 100 * collective_share as collective_percent, mean_bytes, calls_below, mean_below_bytes, bytes,
       bytes_below, ratio_of(bytes_below, bytes) as times_moved
from job_request
where layer = 'mpiio'
order by spent_s desc, job, file, kind
limit 1000
