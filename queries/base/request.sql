-- Requests
--
-- One row per request: the references that read or write an object, in whole or in part. An update, which is
-- an inode write that only notes an access, counts as a write, as in tables 3.3 and 3.4; truncations,
-- deletions and syncs are not requests.
--
-- Source: Richardson 1994, sections 3.1 and 3.2.
--
-- Columns:
--   seq               int64   [position]    The request's place in the stream.
--   time_ns           int64?  [ns]          When it was issued; missing in traces without time stamps.
--   duration_ns       int64?  [ns]          How long it took; missing if the trace does not say.
--   process           int32?  [identifier]  The row of table process that made it; missing for block traces that do not record it.
--   use               int32?  [identifier]  The use (open to close) that it belongs to, if any.
--   file              int32   [identifier]  The file.
--   type              string  [name]        inode, directory, executable, datafile or disk.
--   operation         string  [name]        read, write or update.
--   writes            bool    [truth]       Whether it is a write or an update.
--   offset            int64?  [bytes]       Where in the file it starts; missing if unknown.
--   length            int64?  [bytes]       What moved; missing for a whole read of a file whose size is unknown.
--   requested         int64?  [bytes]       What was asked for.
--   file_size         int64?  [bytes]       The file's size just after it, if known.
--   mapped            bool    [truth]       Whether it is a read that a mapping makes.
--   whole_executable  bool    [truth]       Whether it is the one read of a whole program or library that the model makes.
--   unmoved           bool    [truth]       Whether no call moved its bytes: mapped, or a whole executable.

select seq, time_ns, duration_ns, process, use, file, type, operation, operation <> 'read' as writes,
       "offset", length, requested, file_size, coalesce(flags = 'mapped', false) as mapped,
       type = 'executable' and coalesce("offset" = 0, false) and length is not distinct from file_size
           as whole_executable,
       mapped or whole_executable as unmoved
from reference
where operation in ('read', 'write', 'update')
