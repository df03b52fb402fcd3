-- {number} calls on descriptors that are not open, {most} by {path}
--
-- A program goes through all descriptor numbers up to its limit and closes each, or marks it to be closed, most of which are
-- not open. With a limit of a million open files that is a million calls at each start of a program.
--
-- Source: close_range(2) of the Linux manual pages; iotrace.
-- Family: syscall
-- Change: Close descriptors with close_range
-- Do: Call close_range (Linux 5.9; closefrom of glibc 2.34), or close what /proc/self/fd lists; open files with O_CLOEXEC, so that nothing is left to close. Where the program cannot be changed, lower the limit: ulimit -n, LimitNOFILE= of systemd, --ulimit nofile= of a container.
-- Check: Record again: errors_by_call shows fewer EBADF (iotrace characterize errors_by_call).
-- Confidence: high. The kernel answered EBADF to each of these calls, and their descriptors differ.
--
-- Thresholds:
--   least_descriptors  100  Different descriptors by one process.

with failed as (
    select first, min(name) as name, min(process_name.program) as program, count(*) as calls,
           sum(at_stake_ns) as at_stake_ns
    from syscall
    join (select seq, at_stake_ns from timed_call) using (seq)
    join process_name using (process)
    where call in ('close', 'fcntl') and error = 'EBADF' and fd >= 0
    group by first
    having count(distinct fd) >= $least_descriptors
)
select if(program like '/%', program, null) as path, first_of(name) as process, sum(calls) as number, 'calls' as unit,
       sum(at_stake_ns) / 1e9 as at_stake_s, null as at_stake_bytes
from failed
group by if(program like '/%', program, null), if(program like '/%', null, name)
