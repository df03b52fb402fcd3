-- Accesses to blocks of disks, or to keys, one by one
--
-- One row per request of view moved_disk_request and block (parameter block_bytes) that it touches, and, of a trace of
-- keys, one per request that does not delete its key. Requests for more than 2 GB are left out. Fails where there are more
-- than 64 blocks for each request and parameter most_blocks: they would take all memory.
--
-- Source: iotrace.
-- Family: disk_io, key_io
-- Materialize: yes
--
-- Columns:
--   seq        int64   [position]    The request's place in the trace.
--   time_ns    int64?  [ns]          When it arrived.
--   device     int32   [identifier]  The disk; 0 of keys.
--   operation  string  [name]        read, write or unknown.
--   block      int64   [blocks]      The block's number on the disk; of a trace of keys, the key.

with touching as (
    select seq, time_ns, device, operation, lbn * 512 // parameter_block_bytes() as first_block,
           ((lbn + blocks) * 512 - 1) // parameter_block_bytes() as last_block
    from moved_disk_request
    where blocks <= 4194304
)
select seq, time_ns, device, operation, unnest(range(first_block, last_block + 1)) as block
from touching
where (select if(coalesce(sum(last_block - first_block + 1), 0) > parameter_most_blocks() + 64 * count(*), error(format(
           '{:,} requests touch {:,} blocks: raise block_bytes (--block) or most_blocks (--budget), which is {:,}',
           count(*), sum(last_block - first_block + 1)::bigint, parameter_most_blocks())), true) from touching)
union all
select seq, time_ns, 0 as device, case when writes then 'write' when writes is null then 'unknown' else 'read' end as operation,
       key as block
from ordered_key_request
where moves
