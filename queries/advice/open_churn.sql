-- {path} is opened or looked up {first} times{others}
--
-- The same file is opened and closed, or asked about with stat, again and again by one program. A path that is renamed or
-- deleted after nearly each use is a new file each time (a temporary file that replaces another, a lock file), and is none.
--
-- Source: iotrace.
-- Family: syscall
-- Change: Keep the file open
-- Do: Keep the descriptor open, or the answer for a while; watch for changes with inotify instead of asking.
-- Check: Record again: the opens and stats of the path are few (iotrace time --by call,file).
-- Confidence: medium. The time is that of all but the first of these calls; a program that must see changes at once has to ask.
--
-- Thresholds:
--   least_calls  100  Opens and stats of one path by one process.
--   most_uses    4    Opens and stats for each time that the path is renamed or deleted; with more they are taken for churn.

with asked as (
    select file, name, count(*) filter (call not like 'close%') as calls, sum(at_stake_ns) as at_stake_ns
    from timed_call
    join process_name using (process)
    where class = 'storage' and file like '/%' and seq not in (select seq from unchanged_ask)
      and call in ('open', 'openat', 'openat2', 'close', 'stat', 'lstat', 'fstat', 'newfstatat', 'fstatat64', 'statx',
                   'access', 'faccessat', 'faccessat2')
    group by file, name
),
gone as (
    select file, count(*) as times
    from timed_call
    join syscall using (seq)
    where timed_call.call in ('rename', 'renameat', 'renameat2', 'unlink', 'unlinkat') and result = 0
    group by file
)
select file as path, name as process, calls as number, 'opens and stats' as unit,
       at_stake_ns / 1e9 * (1 - 1 / calls) as at_stake_s, null as at_stake_bytes
from asked
left join gone using (file)
where calls >= $least_calls and calls > $most_uses * coalesce(times, 0)
