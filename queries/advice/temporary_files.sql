-- {first} files in {path} are written and deleted again{others}
--
-- What is written and deleted soon need never reach a disk; on a disk's file system it may be written all the same, and
-- costs changes of directories.
--
-- Source: Richardson 1994, section 6.2.3; Baker and others 1991, for how long data live.
-- Family: syscall
-- Change: Put temporary files in memory
-- Do: Put them in memory (TMPDIR on a tmpfs, /dev/shm, O_TMPFILE, memfd_create), or use pipes (cc -pipe).
-- Check: iotrace nonvolatile TRACE --may-be-lost temporary shows the disk writes without them.
-- Confidence: medium. The bytes are exact; whether they reached the disk depends on how long they lived (commonly 30 s).
--
-- Thresholds:
--   least_bytes  1048576  Bytes written to such files in one directory.

with written as ( -- by files first: they are fewer than the writes, whose paths are long
    select file, process, any_value(path) as path, sum(at_stake_ns) as at_stake_ns, sum(length) as bytes
    from data_call
    where writes and file in (select file from file where created and deleted)
    group by file, process
)
select coalesce(nullif(regexp_replace(path, '/[^/]*$', ''), ''), '/') as path, first_of(process) as process,
       count(distinct file) as number, 'files' as unit, sum(at_stake_ns) / 1e9 as at_stake_s, sum(bytes) as at_stake_bytes
from written
group by coalesce(nullif(regexp_replace(path, '/[^/]*$', ''), ''), '/')
having sum(bytes) >= $least_bytes
