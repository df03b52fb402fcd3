-- {number} syncs, {most} of {path}
--
-- Each sync makes its caller wait until the data are on the disk. Many of them, one after the other, make a program as
-- slow as the disk's slowest operation.
--
-- Source: iotrace; strace -c and perf trace -s rank calls so, too.
-- Family: syscall
-- Change: Sync once for several writes
-- Do: Sync once for several writes (one transaction around them, group commit), or use fdatasync where only data matter; a device with a protected write cache makes each sync cheap. Leave them out only where losing the last writes is allowed.
-- Check: Record again: the syncs of the file are fewer, and their time shrinks in step (iotrace time --by call,file).
-- Confidence: high. The callers waited this long, as the trace records; how much a change saves depends on what must survive a crash.
--
-- Thresholds:
--   least_syncs  20  Syncs of one file by one process.

select file as path, name as process, count(*) as number, 'syncs' as unit,
       sum(at_stake_ns) / 1e9 as at_stake_s,
       null as at_stake_bytes
from timed_call
join process_name using (process)
where call in ('fsync', 'fdatasync', 'sync', 'syncfs', 'sync_file_range', 'msync') and class = 'storage'
group by file, name
having count(*) >= $least_syncs
