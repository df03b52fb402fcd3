-- {number} names are asked for one by one after their directory was listed, {most} in {path}
--
-- A program lists a directory, and then calls stat for each of its names. The listing has the names' types already; on a
-- network file system each stat may be a round trip.
--
-- Source: getdents(2) and readdir(3) of the Linux manual pages, on d_type; iotrace.
-- Family: syscall
-- Change: Take file types from the listing
-- Do: Where only the type is wanted, take it from the listing (d_type, which some file systems leave unknown): os.scandir or os.walk of Python, filepath.WalkDir of Go, fts with FTS_NOSTAT, find -type alone. Where sizes or times are wanted, keep the answers, or ask for several at a time (threads, io_uring's statx).
-- Check: Record again: the stats of names in the directory are few (iotrace time --by call,directory).
-- Confidence: medium. The calls follow the listing as counted, and the time is all of theirs; whether a name's type would do, or its size and times are wanted, is not in a trace.
--
-- Thresholds:
--   least_names  200  Different names that one process asks for, in all directories that it listed before.
--   least_here   10   Of one directory, to be listed.

with listed as (
    select name, file as directory, min(seq) as first_seq
    from timed_call
    join process_name using (process)
    where call in ('getdents', 'getdents64') and class = 'storage'
    group by name, file
),
asked as (
    select seq, name, file, timed_call.at_stake_ns, coalesce(nullif(regexp_replace(file, '/[^/]*$', ''), ''), '/') as directory
    from timed_call
    join process_name using (process)
    join syscall using (seq)
    where class = 'storage' and syscall.path <> '' and file like '/_%'
      and timed_call.call in ('stat', 'lstat', 'stat64', 'lstat64', 'newfstatat', 'fstatat64', 'statx')
),
counted as (
    select directory, name, count(distinct file) as names, sum(at_stake_ns) as at_stake_ns
    from asked
    join listed using (name, directory)
    where seq > first_seq
    group by directory, name
)
select directory as path, name as process, names as number, 'names' as unit, at_stake_ns / 1e9 as at_stake_s,
       null as at_stake_bytes
from counted
where names >= $least_here
  and name in (select name from counted where names >= $least_here group by name having sum(names) >= $least_names)
