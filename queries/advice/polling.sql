-- {number} look-ups ask again and get the same answer, {most} of {path}
--
-- A program asks for a path again and again, with pauses between, and the answer is the same each time. A program that waits
-- in this way wakes up for nothing, and notices a change up to a pause too late.
--
-- Source: inotify(7) of the Linux manual pages; iotrace.
-- Family: syscall
-- Change: Wait for the change with inotify
-- Do: Wait for the change: inotify or fanotify (inotifywait, Python's watchdog, Go's fsnotify; systemd.path), or a message of the process that makes it. On network file systems, which do not tell of the changes of other machines, ask less often.
-- Check: Record again: the look-ups of the path are few (iotrace time --by call,file).
-- Confidence: medium. The answers are the same in what the log shows (the error, or the size and the kind of file). Between two look-ups the thread moves no data; whether it sleeps or computes, and whether it waits for the path, is not known. What it costs is less the time of these calls than wake-ups and delay, which are not in a trace.
--
-- Thresholds:
--   least_asks  100  Such look-ups of one path by one process.

select path, name as process, count(*) as number, 'look-ups' as unit, null as at_stake_s, null as at_stake_bytes
from unchanged_ask
join process_name using (process)
group by path, name
having count(*) >= $least_asks
