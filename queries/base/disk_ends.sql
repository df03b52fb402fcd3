-- The first and the last request to a disk
--
-- One row per disk: what its first request of view moved_disk_request does and where it starts, and where the last ends.
--
-- Source: iotrace.
-- Family: disk_io
-- Merge: by part, device, first_operation
--
-- Columns:
--   part             int32   [position]         The part of the trace, of several that are counted apart; 0.
--   device           int32   [identifier]       The disk.
--   first_operation  string  [name]             read, write or unknown: what the first one does.
--   first_lbn        int64   [512-byte blocks]  The first block of the first one.
--   reached          int64   [512-byte blocks]  The block after the last one.

select 0 as part, device, arg_min(operation, seq) as first_operation, arg_min(lbn, seq) as first_lbn,
       arg_max(lbn + blocks, seq) as reached
from moved_disk_request
group by device
