-- Entries
--
-- The calls of table syscall in the order of the trace: one row where a call was issued and one where it
-- returned, or a single row where both share a line. What reads the table again (another file system model,
-- the ULTRIX format) reads this.
--
-- Source: Richardson 1994, section 2.1: a call and its return are separate entries.
--
-- Columns:
--   position     int64   [position]    The entry's place among all entries of the trace.
--   issued       bool    [truth]       Whether this is the entry of a call that returned later.
--   seq          int64   [position]    As in table syscall.
--   seq_return   int64   [position]    As in table syscall.
--   time_ns      int64?  [ns]          As in table syscall.
--   duration_ns  int64?  [ns]          As in table syscall.
--   thread       int32   [identifier]  As in table syscall.
--   call         string  [name]        As in table syscall.
--   fd           int32?  [descriptor]  As in table syscall.
--   fd2          int32?  [descriptor]  As in table syscall.
--   dirfd        int32?  [descriptor]  As in table syscall.
--   dirfd2       int32?  [descriptor]  As in table syscall.
--   path         string? [name]        As in table syscall.
--   path2        string? [name]        As in table syscall.
--   offset       int64?  [bytes]       As in table syscall.
--   offset2      int64?  [bytes]       As in table syscall.
--   count        int64?  [bytes]       As in table syscall.
--   result       int64?  [value]       As in table syscall.
--   error        string? [name]        As in table syscall.
--   flags        string? [name]        As in table syscall.
--   size         int64?  [bytes]       As in table syscall.
--   file_kind    string? [name]        As in table syscall.
--   arguments    string? [name]        The argument list of an exec that succeeded, from table process.

with entry as (
    select seq_return as position, false as issued, * from syscall
    union all
    select seq as position, true as issued, * from syscall where seq < seq_return
), program as (
    select parent, thread, arguments
    from process
    where parent is not null and arguments is not null and program is not null
    qualify row_number() over (partition by parent, thread order by process) = 1
)
select position, issued, seq, seq_return, time_ns, duration_ns, entry.thread, call, fd, fd2, dirfd, dirfd2,
       path, path2, "offset", offset2, count, result, error, flags, size, file_kind,
       case when call in ('execve', 'execveat') and result = 0 then program.arguments end as arguments
from entry
left join program on program.parent = entry.process and program.thread = entry.thread
                 and call in ('execve', 'execveat') and result = 0
order by position
