-- Requests whose blocks are followed
--
-- Requests for datafiles and disks that the trace both knows and writes. Requests at unknown offsets, and
-- requests for more than the 2 GB that a call can move, are left out.
--
-- Source: iotrace.
--
-- Columns:
--   seq          int64   [position]    The request's place in the stream.
--   time_ns      int64?  [ns]          When it was issued.
--   file         int32   [identifier]  The file.
--   writes       bool    [truth]       Whether it writes.
--   start_bytes  int64   [bytes]       The first byte's place in the file.
--   end_bytes    int64   [bytes]       The place behind the last byte.
--   first_block  int64   [blocks]      The first block that it touches (parameter block_bytes).
--   last_block   int64   [blocks]      The last one.

select seq, time_ns, request.file, request.writes, "offset" as start_bytes, "offset" + length as end_bytes,
       "offset" // parameter_block_bytes() as first_block,
       ("offset" + length - 1) // parameter_block_bytes() as last_block
from request
semi join static_object
    on static_object.file = request.file and static_object.type = request.type and static_object.writes > 0
where request.type in ('datafile', 'disk') and length between 1 and 2147483648 and "offset" is not null
