-- References as the streaming pass reads them
--
-- What the pass that computes streamed views needs of each reference, with names as numbers. Its rows have to be read in
-- the order of seq.
--
-- Source: iotrace.
--
-- Columns:
--   seq               int64   [position]    The reference's place in the stream.
--   time_ns           int64?  [ns]          When it was issued.
--   duration_ns       int64?  [ns]          How long it took, if the trace says.
--   lone_process      int32?  [identifier]  The process, if the reference belongs to no use.
--   use               int32?  [identifier]  The use that it belongs to, if any.
--   file              int32?  [identifier]  The file.
--   type_code         int32?  [identifier]  inode, directory, executable, datafile, disk, from 0.
--   operation_code    int32?  [identifier]  read, write (or update), truncate, delete, from 0; missing for others.
--   offset            int64?  [bytes]       Where in the file it starts; of a truncation the new length.
--   length            int64?  [bytes]       What moved.
--   file_size         int64?  [bytes]       The file's size just after it, if known.
--   whole_executable  bool    [truth]       As in view request.
--   counted           bool    [truth]       Whether it is of the population (parameter population).

select seq, time_ns, duration_ns, if(use is null, process, null) as lone_process, use, file,
       case type when 'inode' then 0 when 'directory' then 1 when 'executable' then 2 when 'datafile' then 3
                 when 'disk' then 4 end as type_code,
       case when file is null then null
            when operation = 'read' then 0 when operation in ('write', 'update') then 1
            when operation = 'truncate' then 2 when operation = 'delete' then 3 end as operation_code,
       "offset", length, file_size,
       type = 'executable' and coalesce("offset" = 0, false) and length is not distinct from file_size
           as whole_executable,
       coalesce(in_population(type, coalesce(flags = 'mapped', false) or whole_executable), false) as counted
from reference
