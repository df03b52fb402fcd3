-- {path} is listed {first} times{others}
--
-- A directory is read from start to end again and again.
--
-- Source: iotrace.
-- Family: syscall
-- Change: List the directory once
-- Do: Read it once and keep the names, watch it with inotify, or ask for the one name that is wanted.
-- Check: Record again: getdents64 falls (iotrace time --by call,directory).
-- Confidence: medium. The time is that of all but the first listing; other programs may change the directory in between.
--
-- Thresholds:
--   least_listings  50  Times that one process reached the end of one directory.

select file as path, name as process, count(*) filter (result = 0) as number, 'listings' as unit,
       sum(timed_call.at_stake_ns) / 1e9 * (1 - 1 / count(*) filter (result = 0)) as at_stake_s,
       null as at_stake_bytes
from timed_call
join syscall using (seq)
join process_name on process_name.process = timed_call.process
where timed_call.call in ('getdents', 'getdents64')
group by file, name
having count(*) filter (result = 0) >= $least_listings
