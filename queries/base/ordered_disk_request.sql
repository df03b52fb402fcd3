-- Requests to disks as the streaming pass reads them
--
-- What the pass that computes streamed views of disks needs of each request. Its rows have to be read in the order of
-- seq.
--
-- Source: iotrace.
--
-- Columns:
--   place       int64   [position]         Its place among the rows of table disk_io as they are stored.
--   seq         int64   [position]         As in table disk_io.
--   time_ns     int64?  [ns]               As in table disk_io.
--   device      int32   [identifier]       The disk.
--   moves       bool    [truth]            Whether it reads or writes, or the trace does not say what it does.
--   writes      bool?   [truth]            Whether it writes; missing for what neither reads nor writes, or does not say.
--   lbn         int64?  [512-byte blocks]  The first logical block.
--   blocks      int64?  [512-byte blocks]  How many blocks.
--   latency_ns  int64?  [ns]               From arrival to completion.
--   taken_ns    int64?  [ns]               As in view timed_disk_request.

select row_number() over () - 1 as place, seq, time_ns, device,
       operation is null or operation in ('read', 'write') as moves,
       case operation when 'write' then true when 'read' then false end as writes, lbn, blocks, latency_ns,
       if((select count(latency_ns) from disk_io) > 0, latency_ns, service_ns) as taken_ns
from disk_io
