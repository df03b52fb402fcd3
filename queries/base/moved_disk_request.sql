-- Reads and writes of disks
--
-- Requests to disks that move data. Requests that name no block or have no length are left out.
--
-- Source: iotrace.
-- Family: disk_io
--
-- Columns:
--   seq        int64   [position]         As in table disk_io.
--   time_ns    int64?  [ns]               When it arrived.
--   device     int32   [identifier]       The disk.
--   operation  string  [name]             read or write; unknown if the trace does not state it.
--   lbn        int64   [512-byte blocks]  The first logical block.
--   blocks     int64   [512-byte blocks]  How many blocks.

select seq, time_ns, device, coalesce(operation, 'unknown') as operation, lbn, blocks
from disk_io
where (operation is null or operation in ('read', 'write')) and lbn is not null and blocks > 0
