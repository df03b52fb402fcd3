-- {number} look-ups of files that do not exist, {most} in {path}
--
-- A program looks for files along a list of directories (PATH, include directories, libraries, Python's path), and each
-- directory before the right one costs a failed call.
--
-- Source: iotrace; Environment Modules' and Spack's users know it as the cost of long search paths.
-- Family: syscall
-- Change: Shorten the search path
-- Do: Put the directories that hold most files first, and leave out those that hold none: the order of -I (or one merged include directory, a precompiled header), LD_LIBRARY_PATH and rpath, PATH, PYTHONPATH (or one zip file). A cache of look-ups (ccache, ld.so.cache) avoids them.
-- Check: Record again: errors_by_call shows fewer ENOENT (iotrace characterize errors_by_call).
-- Confidence: medium. The calls failed as counted; some programs look for optional files on purpose.
--
-- Thresholds:
--   least_failures  100  Failed look-ups by one program.
--   least_here      10   Failed look-ups in one directory, to be listed.

with failed as (
    select case when regexp_full_match(path, '/[^/]*') then '/'
                when place like '%/%' then regexp_replace(place, '/[^/]*$', '')
                else '(working directory)' end as directory, name, program, at_stake_ns
    from syscall
    join (select seq, at_stake_ns from costed_call) using (seq)
    join process_name using (process),
         lateral (select regexp_replace(path, '^(\./+)+', '') as place)
    where error in ('ENOENT', 'ENOTDIR') and path is not null and call not in ('readlink', 'readlinkat')
      and seq not in (select seq from unchanged_ask)
)
select directory as path, first_of(name) as process, count(*) as number, 'failed look-ups' as unit,
       sum(at_stake_ns) / 1e9 as at_stake_s, null as at_stake_bytes
from failed
where program in (select program from failed group by program having count(*) >= $least_failures)
group by directory, program
having count(*) >= $least_here
