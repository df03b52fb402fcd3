-- {number} small random writes, {most} to {path}
--
-- Writes of a few KB all over the device cost a seek each on disks, and on flash they raise the device's own copying.
--
-- Source: iotrace; Biswas, Ramakrishnan and Towsley 1993, on what a write cache does with them.
-- Family: disk_io
-- Change: Collect small writes in a cache
-- Do: Collect them: a write-back cache (iotrace write-cache says what size), a log-structured file system or database, larger transactions; on RAID 5 or 6 a protected write cache.
-- Check: iotrace write-cache TRACE shows how many reach the disk behind a cache. Record again: the writes are fewer or in sequence.
-- Confidence: medium. The writes are counted; how much they cost depends on the device.
--
-- Thresholds:
--   least_writes   1000   Such writes to one device.
--   most_bytes     16384  Bytes of a small write.
--   least_percent  30     Their part of its writes.

with written as (
    select device, sum(writes) as all_writes,
           sum(writes) filter (512 * blocks <= $most_bytes and not follows) as writes,
           sum(latency_ns) filter (512 * blocks <= $most_bytes and not follows) as latency_ns,
           sum(writes * blocks) filter (512 * blocks <= $most_bytes and not follows) as blocks
    from following_write
    group by device
)
select disk_name(disk.path) as path, null as process, writes as number, 'writes' as unit, latency_ns / 1e9 as at_stake_s,
       512 * written.blocks as at_stake_bytes
from written
join file as disk on disk.device = written.device and disk.kind = 'device'
where writes >= greatest($least_writes, $least_percent / 100 * all_writes)
