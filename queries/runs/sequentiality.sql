-- Sequentiality of requests
--
-- Where each request for a file starts, seen from where the last one of the same use ended: sequential
-- requests go on from there, others jump forward or backward. A turn goes on at the same place in the other
-- direction. The read of a whole executable, which the model makes where the loader maps it, is left out: of
-- executables, these are the loader's own reads.
--
-- Source: iotrace.
-- Family: syscall, disk_io, parallel_io
--
-- Columns:
--   type                string   [name]      executable, datafile or disk.
--   direction           string   [name]      read, write or, if runs may mix, read_write.
--   requests            int64    [requests]  All requests.
--   sequential          int64    [requests]  Those that start where the last one ended.
--   sequential_percent  double?  [percent]   Their share of all but the first of each use.
--   first               int64    [requests]  The first of their use.
--   turned              int64    [requests]  Those that start where the last one ended in the other direction.
--   forward             int64    [requests]  Those that skip something.
--   backward            int64    [requests]  Those that go back.
--   unknown             int64    [requests]  Those whose place, or whose predecessor's, is unknown.
--
-- Shown:
--   type
--   direction
--   requests
--   sequential
--   sequential %       = sequential_percent
--   first of their use = first
--   changed direction  = turned
--   forward
--   backward
--   unknown

select type, direction, requests, requests - runs as sequential,
       percent_of(requests - runs, requests - first) as sequential_percent,
       first, turned, forward, backward, unknown
from run_start
order by type_order(type), direction
