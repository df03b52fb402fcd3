-- {number} flushes and forced writes, {most} to {path}
--
-- Each flush empties the device's write cache and makes what follows wait; a forced write (FUA) goes past it.
--
-- Source: iotrace; the kernel's documentation of the block layer's writeback cache control.
-- Family: disk_io
-- Change: Sync less often
-- Do: Find who syncs (iotrace record on the host: rule sync_storm) and let it sync less often; a device with a protected write cache answers flushes at once.
-- Check: Record again: there are fewer flushes.
-- Confidence: medium. The time of flushes is known where the trace has their latency; what waits behind them is not counted.
--
-- Thresholds:
--   least_flushes  100  Flushes and forced writes of one device.
--   least_percent  5    Their part of its requests.

with judged as (
    select device, latency_ns, operation = 'flush' or coalesce(contains(flags, 'forced'), false) as flushes from disk_io
),
counted as (
    select device, count(*) as requests, count(*) filter (flushes) as flushes,
           sum(latency_ns) filter (flushes) as latency_ns
    from judged
    group by device
)
select disk_name(disk.path) as path, null as process, flushes as number, 'flushes' as unit, latency_ns / 1e9 as at_stake_s,
       null as at_stake_bytes
from counted
join file as disk on disk.device = counted.device and disk.kind = 'device'
where flushes >= greatest($least_flushes, $least_percent / 100 * requests)
