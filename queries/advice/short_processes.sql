-- {path} is run {first} times for a moment each{others}
--
-- A program that is started again and again for a moment's work spends most of it on starting: fork, exec, the
-- dynamic linker, its configuration.
--
-- Source: iotrace.
-- Family: syscall
-- Change: Start fewer processes
-- Do: Give many pieces of work to one run (xargs without -n1, find -exec +), use the shell's own functions, or keep a server running.
-- Check: Record again: there are fewer processes (iotrace characterize by_program).
-- Confidence: medium. The time is that of the quickest run from exec to exit, without its waiting, for each run but the first: starting takes no longer. Tracing slows starts down most.
--
-- Thresholds:
--   least_runs  50  Runs of one program that are no longer than most_ms; longer ones do not count.
--   most_ms     50  From exec to exit.

with run as (
    select process.process, name, process.program, process.ended_ns - process.started_ns as lived_ns
    from process
    join process_name using (process)
    join process as before on before.process = process.parent and before.thread = process.thread
),
waited as ( -- and what the tracer took, where known
    select process,
           sum(if(class = 'waiting', duration_ns, duration_ns - at_stake_ns)
               + coalesce(tracing_overhead().outside_ns, 0)) as waited_ns
    from timed_call
    group by process
)
select program as path, first_of(name) as process, count(*) as number, 'runs' as unit,
       (count(*) - 1) * min(if(tracing_overhead() is null, used_ns, greatest(used_ns, 0))) / 1e9 as at_stake_s, null as at_stake_bytes
from (select run.*, lived_ns - coalesce(waited_ns, 0) as used_ns from run left join waited using (process))
where lived_ns <= 1e6 * $most_ms
group by program
having count(*) >= $least_runs
