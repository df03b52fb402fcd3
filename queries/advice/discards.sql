-- {number} discards, {most} to {path}
--
-- Discards (TRIM, UNMAP) that are sent with each deletion stand between reads and writes, and some devices stop for
-- them.
--
-- Source: fstrim(8) of util-linux; iotrace.
-- Family: disk_io
-- Change: Discard weekly, with fstrim
-- Do: Mount without the option discard and run fstrim.timer weekly, or limit their size (/sys/block/*/queue/discard_max_bytes).
-- Check: Record again: discards come in one batch, and the tail of the latencies is shorter.
-- Confidence: low. What they cost depends on the device; their own time is known where the trace has latencies.
--
-- Thresholds:
--   least_discards  100  Discards of one device.

select disk_name(device) as path, null as process, count(*) as number, 'discards' as unit, sum(latency_ns) / 1e9 as at_stake_s,
       512 * sum(blocks) as at_stake_bytes
from disk_request
where operation = 'discard'
group by device
having count(*) >= $least_discards
