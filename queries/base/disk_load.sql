-- The load of each disk
--
-- One row per disk with reads or writes, the busiest first: how many there are, how many blocks they move, and when
-- the first and the last of them come. Requests that name no block or have no length move nothing and are left out,
-- as the simulation of write caches leaves them out.
--
-- Source: Biswas, Ramakrishnan and Towsley 1993, table 3.1.
--
-- Columns:
--   device          int32   [identifier]        The disk.
--   name            string? [name]              What the trace calls it.
--   reads           int64   [requests]          Reads.
--   writes          int64   [requests]          Writes.
--   read_blocks     int64   [512-byte blocks]   What the reads move.
--   written_blocks  int64   [512-byte blocks]   What the writes move.
--   end_block       int64   [512-byte blocks]   One past the last block that is read or written.
--   first_ns        int64?  [ns]                When the first of them comes, since the start of the trace.
--   last_ns         int64?  [ns]                When the last one comes.

select disk_io.device as device, min(disk.path) as name,
       count(*) filter (operation = 'read') as reads,
       count(*) filter (operation = 'write') as writes,
       least(coalesce(sum(blocks) filter (operation = 'read'), 0), 9223372036854775807) as read_blocks,
       least(coalesce(sum(blocks) filter (operation = 'write'), 0), 9223372036854775807) as written_blocks,
       least(max(lbn::hugeint + blocks), 9223372036854775807) as end_block,
       min(time_ns) as first_ns, max(time_ns) as last_ns
from disk_io
left join file as disk on disk.device = disk_io.device and disk.kind = 'device'
where operation in ('read', 'write') and lbn is not null and blocks > 0
group by disk_io.device
order by count(*) desc, disk_io.device
