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

select reference.call_seq as seq, reference.time_ns, reference.duration_ns,
       if(reference.duration_ns is null, null, coalesce(at_stake_ns, reference.duration_ns)) as at_stake_ns,
       coalesce(process_name.name, '(unknown)') as process, reference.process as process_row, "use", reference.file,
       file.path, operation = 'write' as writes, "offset", length, flags,
       coalesce("offset" = coalesce(lag("offset" + length) over each_use, 0), false) as sequential,
       reference.file_size
from reference
join file on file.file = reference.file
left join process_name on process_name.process = reference.process
left join costed_call on costed_call.seq = reference.call_seq
where operation in ('read', 'write') and flags is distinct from 'mapped' and file.kind = 'regular'
  and (type = 'datafile'
       or type = 'executable' and not (coalesce("offset" = 0, false) and length is not distinct from reference.file_size))
window each_use as (partition by "use", reference.file, if("use" is null, reference.process, null) order by reference.seq)
