-- {path} is made and deleted {first} times{others}
--
-- A file that is made, filled and deleted again for each step costs three changes of its directory each time. Databases
-- do it with a rollback journal, programs with lock files and temporary copies.
--
-- Source: SQLite's documentation of PRAGMA journal_mode and of write-ahead logging (sqlite.org/wal.html); iotrace.
-- Family: syscall
-- Change: Keep the file and reuse it
-- Do: For SQLite: PRAGMA journal_mode=WAL (or TRUNCATE, which keeps the file), and several changes in one transaction. For other files: keep the file and overwrite it, or hold a lock (flock) on a file that stays.
-- Check: Record again: the deletions of this path are gone (iotrace time --by call,file).
-- Confidence: high. The time is that of all calls on the path; for SQLite the write-ahead log removes nearly all of them.
--
-- Thresholds:
--   least_deletions  10  Deletions of one path.

with deleted as (
    select file, count(*) as deletions, first_of(name) as process
    from timed_call
    join process_name using (process)
    where call in ('unlink', 'unlinkat') and class = 'storage' and file like '/%'
    group by file
    having count(*) >= $least_deletions
)
select deleted.file as path, min(deleted.process) as process, min(deletions) as number,
       'deletions' as unit, sum(at_stake_ns) / 1e9 as at_stake_s, null as at_stake_bytes
from deleted
join timed_call on timed_call.file = deleted.file
where class = 'storage'
group by deleted.file
