-- Requests to disks with names and wall-clock time
--
-- One row per row of table disk_io, with all that a question about requests to disks usually needs: the disk, bytes instead of
-- blocks, the program and the file where the trace has them, and wall-clock time. Start here for questions about disks.
--
-- Source: iotrace.
-- Family: disk_io, syscall
--
-- Columns:
--   device        string     [name]        The disk.
--   operation     string?    [name]        read, write, discard or flush; null if the format does not record it.
--   offset_bytes  int64?     [bytes]       Where it starts on the disk.
--   bytes         int64?     [bytes]       How long it is.
--   path          string?    [name]        The file, if the trace has it.
--   program       string?    [name]        The program that asked, if the trace has it.
--   pid           int32?     [identifier]  Its process, by the number that the kernel gave it.
--   at            timestamp? [UTC]         When it arrived, to the microsecond; null if the trace has no wall-clock time. "at" is a word of SQL: it needs double quotes; started_at is the same.
--   duration      interval?  [time]        From arrival to completion, to the microsecond, if the trace has it.
--   duration_ns   int64?     [ns]          From arrival to completion, if the trace has it.
--   service_ns    int64?     [ns]          From the dispatch to the device to completion, if the trace has it.
--   started_at    timestamp? [UTC]         The same as "at".
--   time_ns       int64?     [ns]          When it arrived, since the first event of the trace.
--   flags         string?    [name]        As in table disk_io.
--   host          string?    [name]        The machine.
--   process       int32?     [identifier]  Its row in table process.
--   file          int32?     [identifier]  Its file's row in table file.
--   seq           int64      [position]    Its row in table disk_io.

select disk_request.device, disk_request.operation, disk_request.lbn * 512 as offset_bytes,
       disk_request.blocks * 512 as bytes, disk_request.path, disk_request.program, disk_request.pid,
       wall_clock(disk_request.time_ns) as "at", to_microseconds(disk_request.latency_ns // 1000) as duration,
       disk_request.latency_ns as duration_ns, disk_request.service_ns, wall_clock(disk_request.time_ns) as started_at,
       disk_request.time_ns, disk_request.flags, disk_request.host, disk_io.process, disk_io.file, disk_request.seq
from disk_request
join disk_io on disk_io.seq = disk_request.seq
