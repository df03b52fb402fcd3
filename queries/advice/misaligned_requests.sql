-- {number} requests that are not aligned to 4 KB, {most} to {path}
--
-- A request that begins or ends within a 4-KB sector makes the device read the sector first, and a write change it
-- there: two operations instead of one.
--
-- Source: iotrace; ATA and NVMe devices tell their physical sector size in /sys/block/*/queue/physical_block_size.
-- Family: disk_io
-- Change: Align partitions and volumes to 1 MB
-- Do: Align partitions, volumes and RAID chunks to 1 MB (parted align-check), and give file systems and databases blocks of 4 KB or a multiple.
-- Check: Record again: no requests are left that are not aligned (iotrace advice --rule misaligned_requests).
-- Confidence: medium. It costs on devices with 4-KB sectors and in virtual disks; a disk with sectors of 512 bytes does not care.
--
-- Thresholds:
--   least_requests  100  Such requests to one device.
--   least_percent   10   Their part of its requests.

with moved as (
    select device, count(*) as all_requests, count(*) filter (lbn % 8 <> 0 or blocks % 8 <> 0) as requests,
           sum(latency_ns) filter (lbn % 8 <> 0 or blocks % 8 <> 0) as latency_ns,
           sum(blocks) filter (lbn % 8 <> 0 or blocks % 8 <> 0) as blocks
    from disk_io
    where operation in ('read', 'write') and lbn is not null and blocks > 0
    group by device
)
select disk_name(disk.path) as path, null as process, requests as number, 'requests' as unit, latency_ns / 1e9 as at_stake_s,
       512 * blocks as at_stake_bytes
from moved
join file as disk on disk.device = moved.device and disk.kind = 'device'
where requests >= greatest($least_requests, $least_percent / 100 * all_requests)
