-- Data requests with their files and processes
--
-- One row per read or write of a regular file's data by a call: not of inodes and directories, and not what mappings
-- and execs read.
--
-- Source: iotrace.
-- Materialize: yes
--
-- Columns:
--   seq          int64?   [position]    The call: seq of the native table.
--   time_ns      int64?   [ns]          When it was issued.
--   duration_ns  int64?   [ns]          As in table reference: once for each call.
--   at_stake_ns  int64?   [ns]          The same without what is the tracer's, and without waits for a processor, where these are known (see costed_call).
--   process      string   [name]        The process's number, and its last program.
--   process_row  int32?   [identifier]  Its row in table process.
--   use          int32?   [identifier]  The use that it belongs to.
--   file         int32    [identifier]  The file.
--   path         string?  [name]        Its first path.
--   writes       bool     [truth]       Whether it writes.
--   offset       int64?   [bytes]       Where it starts.
--   length       int64?   [bytes]       How many bytes moved.
--   flags        string?  [name]        As in table reference.
--   sequential   bool     [truth]       Whether it starts where the last one of its use ended, or is the first at byte 0.
--   file_size    int64?   [bytes]       The file's size just after it, if known.

with requested as ( -- put in order without names, which are long
    select call_seq, time_ns, duration_ns, process, "use", reference.file, operation = 'write' as writes, "offset", length, flags,
           coalesce("offset" = coalesce(lag("offset" + length) over each_use, 0), false) as sequential, file_size
    from reference
    semi join (from file where kind = 'regular') as regular on regular.file = reference.file
    where operation in ('read', 'write') and flags is distinct from 'mapped'
      and (type = 'datafile' or type = 'executable' and not (coalesce("offset" = 0, false) and length is not distinct from file_size))
    window each_use as (partition by "use", reference.file, if("use" is null, process, null) order by seq)
),
costed as ( -- and the cost before the names
    select requested.*, costed_call.at_stake_ns
    from requested left join costed_call on costed_call.seq = call_seq
)
select call_seq as seq, time_ns, duration_ns,
       if(duration_ns is null, null, coalesce(at_stake_ns, duration_ns)) as at_stake_ns,
       coalesce(process_name.name, '(unknown)') as process, costed.process as process_row, "use", costed.file, file.path, writes,
       "offset", length, flags, sequential, file_size
from costed
join file on file.file = costed.file
left join process_name on process_name.process = costed.process
