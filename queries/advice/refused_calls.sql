-- {number} calls are refused, {most} on {path}
--
-- The kernel refuses the same call on the same file in the same way, again and again: the call has an argument that does not
-- fit (EINVAL), or the file system or the kernel cannot do it (EOPNOTSUPP, ENOSYS, EXDEV). The program goes another way each
-- time, and pays for the refusal first.
--
-- Source: open(2) of the Linux manual pages, on O_DIRECT; iotrace.
-- Family: syscall
-- Change: Do not repeat refused calls
-- Do: EINVAL of reads and writes of a file with O_DIRECT: align the memory, the offset and the length to the block size that statx tells (STATX_DIOALIGN; else blockdev --getss), or open it without O_DIRECT. Else remember the first refusal, and go the other way at once.
-- Check: Record again: errors_by_call shows fewer of these errors (iotrace characterize errors_by_call).
-- Confidence: high. The calls failed as counted; which argument did not fit is not in a trace.
--
-- Thresholds:
--   least_calls  100  Refusals of one call on one file by one process.

select file as path, name as process, count(*) as number, syscall.call || ' calls refused with ' || error as unit,
       sum(timed_call.at_stake_ns) / 1e9 as at_stake_s, null as at_stake_bytes
from syscall
join timed_call using (seq)
join process_name on process_name.process = syscall.process
where error in ('EINVAL', 'EOPNOTSUPP', 'ENOTSUP', 'ENOSYS', 'EXDEV') and fd is not null and timed_call.class = 'storage'
group by file, name, syscall.call, error
having count(*) >= $least_calls
