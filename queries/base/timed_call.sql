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
-- (view untraced_call).
--
-- Source: iotrace.
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
--   at_stake_ns  int64?   [ns]          cost_ns without the time in which the thread waited for a processor, where the recording shows it (see costed_call).

with named_file as (
    select file, path,
           case when path not like '/%' then if(path like '(%', path, '(no path)')
                when kind = 'directory' then path
                when regexp_full_match(path, '/[^/]*') then '/'
                else regexp_replace(path, '/[^/]*$', '') end as directory
    from file
)
select seq, time_ns, duration_ns, returned, process, call, class, coalesce(no_file, path) as file,
       coalesce(no_file, directory) as directory, bytes, net_ns, cost_ns, at_stake_ns
from costed_call
left join named_file on named_file.file = costed_call.file
