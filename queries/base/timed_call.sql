-- System calls with what their time was spent on
--
-- One row per system call: what it worked on (table call_file), and the class of its time. Storage is time in calls
-- that name a file, a directory or a disk, as cached as they may be; waiting is time in calls that wait for other
-- processes, other machines, locks or the clock, and in reads and writes of pipes, sockets, event descriptors and
-- terminals, and in opens of named pipes; other is the rest (memory, processes, signals, /dev/null and the like); unknown are calls on
-- descriptors of which the trace does not show what they are. A fork that suspends its parent (CLONE_VFORK) and a lock
-- that is waited for (F_SETLKW) are waiting.
--
-- What the tracer adds is taken off where the recording measured it (tracing_overhead()), call by call and size by size
-- (the classes of table 3.5): a kind of call takes its median less the median that the tracer adds, and a call that is
-- longer than that and the 99th percentile of what the tracer adds takes what exceeds them, too, by the share of such time
-- that is more than the tracer's own long calls explain (their mean, and two standard errors). On which processors strace
-- and the program run, and so what it adds, differs between the recording and the measurement after it. Calls of the
-- trace itself that take no time untraced (lseek, dup, fcntl without locks) show it, too: 200 of them say it, and of fewer
-- the larger of both is taken off.
--
-- Source: iotrace.
-- Materialize: yes
-- Family: syscall
--
-- Columns:
--   seq          int64    [position]    As in table syscall.
--   time_ns      int64?   [ns]          As in table syscall.
--   duration_ns  int64?   [ns]          As in table syscall.
--   returned     bool     [truth]       Whether the call returned before the trace, or its process, ended.
--   process      int32    [identifier]  As in table syscall.
--   call         string   [name]        The system call's name.
--   class        string   [name]        storage, waiting, other or unknown.
--   file         string   [name]        The first path of the file; for what is none, a word in parentheses: (not found) for a path that does not exist, (pipe), (socket), (event) for event descriptors, (no file) for calls without one or whose descriptor is not known.
--   directory    string   [name]        The directory that holds the file, a directory itself; (no path) for a file without an absolute one; else the word of column file.
--   bytes        int64?   [bytes]       What a call that moves data moved, if it succeeded; missing for other calls.
--   net_ns       int64?   [ns]          How much of duration_ns is not the tracer's; missing where that is not known.
--   cost_ns      int64?   [ns]          net_ns where it is known, else duration_ns.

with file_object as ( -- what follows from a file is found once for each
    select file, path,
           case when path like 'fd:%' then 'unknown'
                when kind = 'device' then 'character_device'
                else kind end as object,
           regexp_full_match(path, '/dev/(tty.*|pts/.*|console)') as is_terminal,
           case when path not like '/%' then if(path like '(%', path, '(no path)')
                when kind = 'directory' then path
                when regexp_full_match(path, '/[^/]*') then '/'
                else regexp_replace(path, '/[^/]*$', '') end as directory
    from file
),
object as (
    select call_seq, path, directory, is_terminal,
           case when call_file.object <> 'unknown' then call_file.object
                else coalesce(file_object.object, 'unknown') end as object
    from call_file
    left join file_object on file_object.file = call_file.file
),
called as (
    select seq, time_ns, duration_ns, result is not null or error is not null as returned, process, syscall.call,
           syscall.path as name, fd, error, flags, result, call_class.class as class_of_call, object.path, directory,
           if(object.object = 'character_device' and is_terminal, 'terminal', object.object) as object
    from syscall
    left join object on object.call_seq = syscall.seq
    left join call_class on call_class.call = syscall.call
    where syscall.call not in (
        'process_exited', 'process_killed', 'process_superseded', 'process_detached', 'records_lost'
    )
),
classed as (
    select *,
           case when object = 'pipe' and call in ('open', 'openat', 'openat2') then 'waiting' -- for the other end
                when class_of_call <> 'moves' then class_of_call
                when contains(flags, 'CLONE_VFORK') or contains(flags, 'SETLKW') then 'waiting'
                when object in ('regular', 'directory', 'symlink', 'block_device') then 'storage'
                when class_of_call = 'moves' and object in ('pipe', 'socket', 'anonymous', 'terminal') then 'waiting'
                when class_of_call = 'moves' and object is distinct from 'character_device' then 'unknown'
                when name <> '' then 'storage'
                when object = 'unknown' or fd >= 0 and object is null and error is distinct from 'EBADF' then 'unknown'
                else 'other' end as class,
           case when object = 'pipe' then '(pipe)'
                when object = 'socket' then '(socket)'
                when object = 'anonymous' then '(event)'
                when path is not null then null
                when name <> '' and error in ('ENOENT', 'ENOTDIR') then '(not found)'
                else '(no file)' end as no_file
    from called
),
named as (
    select seq, time_ns, duration_ns, returned, process, call, class, coalesce(no_file, path) as file,
           coalesce(no_file, directory) as directory,
           case when class_of_call = 'moves' and result >= 0 then result end as bytes
    from classed
),
sized as (
    select *, if(bytes is null, -1, coalesce(size_class_bound(bytes), 0)) as size from named
),
trivial as ( -- 30 give a median, 200 a tail
    select count(*) as calls, median(duration_ns) as median_ns, quantile_disc(duration_ns, 0.99) as p99_ns,
           avg(greatest(duration_ns - tracing_overhead().inside_p99_ns, 0)) as tail_ns
    from syscall
    where duration_ns is not null
      and (call in ('dup', 'lseek') and not regexp_matches(coalesce(flags, ''), 'HOLE|DATA')
           or call in ('fcntl', 'fcntl64') and not contains(coalesce(flags, ''), 'LK'))
),
tracer as ( -- a median above the measured 99th percentile is not the tracer's
    select case when calls < 30 then of_loop.inside_ns
                when calls < 200 then greatest(of_loop.inside_ns, least(median_ns, of_loop.inside_p99_ns))
                else least(median_ns, of_loop.inside_p99_ns) end as inside_ns,
           greatest(of_loop.inside_p99_ns, if(calls >= 200, p99_ns, 0)) as inside_p99_ns,
           greatest(of_loop.tail_ns, if(calls >= 200, trivial.tail_ns, 0)) as tail_ns,
           of_loop.tail_deviation_ns, of_loop.measured_calls
    from trivial, (select unnest(tracing_overhead())) as of_loop
    where tracing_overhead() is not null
),
kind as (
    select call, class, size, greatest(median(duration_ns) - any_value(inside_ns), 0) as usual_ns
    from sized, tracer
    where duration_ns is not null
    group by call, class, size
),
beyond as (
    select call, class, size, count(*) as calls,
           sum(greatest(duration_ns - usual_ns - inside_p99_ns, 0)) as beyond_ns
    from sized join kind using (call, class, size), tracer
    where duration_ns is not null
    group by call, class, size
),
share as ( -- of what is beyond, how much is more than the tracer explains
    select call, class, size,
           coalesce(greatest(1 - (calls * tail_ns + 2 * tail_deviation_ns * sqrt(calls + calls * calls / measured_calls))
                                 / nullif(beyond_ns, 0), 0), 0) as share
    from beyond, tracer
),
measured as (
    select sized.*,
           usual_ns + share * greatest(duration_ns - usual_ns - inside_p99_ns, 0) as untraced_ns
    from sized
    left join kind using (call, class, size)
    left join share using (call, class, size)
    left join tracer on true
)
select seq, time_ns, duration_ns, returned, process, call, class, file, directory, bytes,
       round(if(untraced_ns < duration_ns, untraced_ns, if(untraced_ns is null, null, duration_ns))) as net_ns,
       round(if(untraced_ns < duration_ns, untraced_ns, duration_ns)) as cost_ns
from measured
