-- Requests to disks, with names
--
-- One row per row of table disk_io, with the names of what it refers to by number. (Not a request as
-- view request has them: flushes, discards and requests for no blocks are here, too.)
--
-- Source: iotrace.
--
-- Columns:
--   seq         int64   [position]         As in table disk_io.
--   time_ns     int64?  [ns]               As in table disk_io.
--   device      string  [name]             The disk's name.
--   operation   string? [name]             read, write, discard or flush; missing if the format does not record it.
--   lbn         int64?  [512-byte blocks]  The first logical block.
--   blocks      int64?  [512-byte blocks]  How many blocks.
--   pid         int32?  [identifier]       The process that asked, by its number in the kernel.
--   program     string? [name]             Its name, if the trace has it.
--   path        string? [name]             The file, if the trace has it.
--   latency_ns  int64?  [ns]               From arrival to completion.
--   service_ns  int64?  [ns]               From dispatch to completion.
--   host        string? [name]             The machine.
--   flags       string? [name]             As in table disk_io.

select seq, time_ns, disk.path as device, operation, lbn, blocks, pid, program, named.path as path,
       latency_ns, service_ns, host, flags
from disk_io
join file as disk on disk.device = disk_io.device and disk.kind = 'device'
left join process on process.process = disk_io.process
left join file as named on named.file = disk_io.file
