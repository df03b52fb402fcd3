-- System calls with their classes
--
-- One row per system call, with the class of its time and the file that it worked on. View timed_call says what the
-- classes are, and has the names of files and what calls take without the tracer.
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
--   thread       int32    [identifier]  As in table syscall.
--   call         string   [name]        The system call's name.
--   class        string   [name]        storage, waiting, other or unknown.
--   file         int32?   [identifier]  The row of table file of what it worked on; missing where that has none.
--   no_file      string?  [name]        The word in parentheses that says what it worked on instead (see timed_call).
--   bytes        int64?   [bytes]       What a call that moves data moved, if it succeeded; missing for other calls.

with file_object as ( -- what follows from a file is found once for each
    select file, if(path is null, null, file) as named_file,
           case when path like 'fd:%' then 'unknown'
                when kind = 'device' then 'character_device'
                else kind end as object,
           regexp_full_match(path, '/dev/(tty.*|pts/.*|console)') as is_terminal
    from file
),
named as ( -- all are held for the join: what an object is takes a byte
    select call_seq, file,
           try_cast(object as enum('regular', 'directory', 'symlink', 'character_device', 'block_device', 'pipe', 'socket',
                                   'anonymous', 'unknown')) as object
    from call_file
),
called as (
    select seq, time_ns, duration_ns, result is not null or error is not null as returned, process, thread,
           syscall.call, syscall.path as name, fd, error, flags, result, call_class.class as class_of_call, named_file, is_terminal,
           case when named.object <> 'unknown' then named.object
                when call_seq is not null then coalesce(file_object.object, 'unknown') end as kind
    from syscall
    left join named on named.call_seq = syscall.seq
    left join file_object on file_object.file = named.file
    left join call_class on call_class.call = syscall.call
),
object as (
    select * replace (if(kind = 'character_device' and is_terminal, 'terminal', kind) as kind) from called
),
classed as (
    select seq, time_ns, duration_ns, returned, process, thread, call,
           case when kind = 'pipe' and call in ('open', 'openat', 'openat2') then 'waiting' -- for the other end
                when class_of_call <> 'moves' then class_of_call
                when contains(flags, 'CLONE_VFORK') or contains(flags, 'SETLKW') then 'waiting'
                when kind in ('regular', 'directory', 'symlink', 'block_device') then 'storage'
                when class_of_call = 'moves' and kind in ('pipe', 'socket', 'anonymous', 'terminal') then 'waiting'
                when class_of_call = 'moves' and kind is distinct from 'character_device' then 'unknown'
                when name <> '' then 'storage'
                when kind = 'unknown' or fd >= 0 and kind is null and error is distinct from 'EBADF' then 'unknown'
                else 'other' end as class,
           named_file as file,
           case when kind = 'pipe' then '(pipe)'
                when kind = 'socket' then '(socket)'
                when kind = 'anonymous' then '(event)'
                when named_file is not null then null
                when name <> '' and error in ('ENOENT', 'ENOTDIR') then '(not found)'
                else '(no file)' end as no_file,
           case when class_of_call = 'moves' and result >= 0 then result end as bytes
    from object
    -- other rows have no kind; filtered before the joins, DuckDB expects a fifth of the rows, and holds all of them in memory
    where not (is_no_call(call) and kind is null)
)
from classed
