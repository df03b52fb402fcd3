-- Look-ups that ask again after a pause, and get the answer of the last time
--
-- One row per stat, access or open of a path that its thread asked before in the same way and with the same answer (the same
-- error; or success, with the size and the kind of file that were shown then), where the thread has paused for nearly all of
-- the time since then, and has done nothing but such look-ups: moved no data, and been woken by no descriptor. A pause is a
-- millisecond or more without a call that is not other (see timed_call): the thread sleeps, waits or computes. Opens that
-- succeed are no such question. Where the trace lacks the time or the length of a call, what follows is not a row. A path of which
-- a process has fewer than 100 such look-ups has none.
--
-- Source: iotrace.
-- Materialize: yes
-- Family: syscall
--
-- Columns:
--   seq      int64   [position]    As in table syscall.
--   path     string  [name]        The path that was asked for: the file's where there is one, else as the call names it.
--   process  int32   [identifier]  As in table syscall.

with asked as ( -- by number: paths take much memory
    select syscall.seq, first, hash(coalesce(absolute.path, syscall.path)) as path_number
    from syscall
    join costed_call using (seq)
    join process_name on process_name.process = syscall.process
    left join (select file, path from file where path like '/%') as absolute
           on absolute.file = costed_call.file and no_file is null
    where syscall.path <> '' and class <> 'other'
          and (syscall.call in ('stat', 'lstat', 'stat64', 'lstat64', 'newfstatat', 'fstatat64', 'statx', 'access',
                                'faccessat', 'faccessat2')
               or syscall.call in ('open', 'openat', 'openat2') and error is not null)
),
often as ( -- paths of which a process has fewer are no rows
    select seq from asked qualify count(*) over (partition by first, path_number) > 100
),
looked as (
    select syscall.seq, syscall.time_ns, first, thread, syscall.process, syscall.call, error, size, file_kind,
           if(timed_call.file like '/%', timed_call.file, path) as path
    from often
    join syscall using (seq)
    join timed_call using (seq)
    join process_name on process_name.process = syscall.process
),
repeated as ( -- those that may be rows: same answer, later by a pause or more
    select seq, first, thread, process, path, lag(seq) over again as seq_before
    from looked
    window again as (partition by first, thread, path, call order by seq)
    qualify time_ns - lag(time_ns) over again >= 1000000 and error is not distinct from lag(error) over again
            and size is not distinct from lag(size) over again
            and file_kind is not distinct from lag(file_kind) over again
),
moved as (
    select seq, first, thread
    from costed_call
    join process_name using (process)
    where bytes is not null and class <> 'other'
),
asking as ( -- threads with enough of them between which they moved no data: most traces have none
    select distinct first, thread
    from (
        select repeated.first, repeated.thread
        from repeated
        asof left join moved
            on moved.first = repeated.first and moved.thread = repeated.thread and moved.seq <= repeated.seq
        where moved.seq is null or moved.seq < seq_before
        qualify count(*) over (partition by process, path) >= 100
    )
),
called as (
    select syscall.seq, syscall.time_ns, syscall.duration_ns, process_name.first, syscall.thread, syscall.process,
           syscall.call, syscall.error, syscall.size, syscall.file_kind, looked.path, asked.seq is not null as asks,
           syscall.call in ('nanosleep', 'clock_nanosleep')
           or class = 'waiting' and coalesce(result = 0 or syscall.error is not null, false)
              and syscall.call in ('poll', 'ppoll', 'select', '_newselect', 'pselect6', 'epoll_wait', 'epoll_pwait',
                                   'epoll_pwait2', 'futex', 'futex_waitv', 'rt_sigtimedwait') as sleeps
    from syscall
    join timed_call on timed_call.seq = syscall.seq
    join process_name on process_name.process = syscall.process
    semi join asking on asking.first = process_name.first and asking.thread = syscall.thread
    left join asked on asked.seq = syscall.seq
    left join looked on looked.seq = syscall.seq
    where class <> 'other'
),
timed as (
    select *, time_ns - lag(time_ns + duration_ns) over each_thread as idle_ns
    from called
    where not sleeps
    window each_thread as (partition by first, thread order by seq)
),
summed as (
    select *, sum(if(idle_ns >= 1000000, idle_ns, 0)) over until_now as paused_ns,
           count(if(not asks or idle_ns is null, 1, null)) over until_now as doings
    from timed
    window until_now as (partition by first, thread order by seq)
),
followed as (
    select *, time_ns - lag(time_ns) over again as since_ns, paused_ns - lag(paused_ns) over again as paused_since_ns,
           doings = lag(doings) over again and error is not distinct from lag(error) over again
           and size is not distinct from lag(size) over again
           and file_kind is not distinct from lag(file_kind) over again as is_same
    from summed
    where path is not null
    window again as (partition by first, thread, path, call order by seq)
)
select seq, path, process
from followed
where is_same and paused_since_ns >= 0.9 * since_ns and since_ns > 0
qualify count(*) over (partition by process, path) >= 100
