-- {number} requests past the page cache (O_SYNC, O_DIRECT), {most} of {path}
--
-- A file opened with O_SYNC or O_DSYNC makes each write wait for the disk, one with O_DIRECT each read and write.
--
-- Source: open(2) of the Linux manual pages; iotrace.
-- Family: syscall
-- Change: Open without O_SYNC or O_DIRECT
-- Do: Open without it and sync where it matters; with O_DIRECT keep many large requests in flight (io_uring, libaio), since nothing reads ahead or writes behind.
-- Check: Record again: p50 of the calls on the file falls (iotrace time --by call,file).
-- Confidence: medium. The time is that of all such requests; databases choose O_DIRECT on purpose and have their own cache.
--
-- Thresholds:
--   least_requests  20  Such requests to one file by one process.

select path, process, count(*) as number, 'requests' as unit,
       sum(at_stake_ns) / 1e9 as at_stake_s,
       sum(length) as at_stake_bytes
from data_call
where contains(flags, 'direct') or contains(flags, 'synchronous') and writes
group by path, process
having count(*) >= $least_requests
