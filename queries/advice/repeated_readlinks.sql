-- {number} repeated readlink calls, {most} of {path}
--
-- A program that resolves whole paths (realpath) asks of each directory on the way whether it is a symbolic link, and asks
-- again for the next path that begins the same way.
--
-- Source: iotrace; GCC does so for each system header that it includes (option -fcanonical-system-headers).
-- Family: syscall
-- Change: Resolve each directory once
-- Do: Resolve a directory once, keep the answer, and open names in it (openat). GCC: -fno-canonical-system-headers, or fewer headers by a precompiled one; a compiler cache (ccache) avoids the whole run.
-- Check: Record again: readlink falls (iotrace time --by call).
-- Confidence: medium. The time is that of all but each process's first call for a path; a program that must see a changed link at once has to ask.
--
-- Thresholds:
--   least_repeats  100  Calls by one program for paths of which the same process asked before.
--   least_here     10   Such calls for one path, to be listed.

with asked as (
    select path, first_of(name) as name, program, count(*) - 1 as repeats,
           round(sum(at_stake_ns) * (1 - 1 / count(*)))::bigint as repeats_ns
    from syscall
    join (select seq, at_stake_ns from timed_call) using (seq)
    join process_name using (process)
    where call in ('readlink', 'readlinkat') and path like '/%'
    group by process, path, program
)
select path, first_of(name) as process, sum(repeats) as number, 'repeated calls' as unit,
       sum(repeats_ns) / 1e9 as at_stake_s, null as at_stake_bytes
from asked
where program in (select program from asked group by program having sum(repeats) >= $least_repeats)
group by path, program
having sum(repeats) >= $least_here
