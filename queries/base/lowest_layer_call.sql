-- Parallel calls of the lowest layer
--
-- The rows of table parallel_io that moved each byte once: of a file that was read or written in a lowest layer (posix, stdio,
-- or a format that records no layer) the calls of that layer, of another file that was read or written the calls of MPI-IO.
-- Table parallel_io itself has a row for an MPI-IO call and one for each POSIX call that it makes.
--
-- Source: iotrace.
--
-- Columns:
--   seq          int64    [position]    The call: seq of table parallel_io.
--   time_ns      int64?   [ns]          When it was issued.
--   duration_ns  int64?   [ns]          How long it took, if the trace has it.
--   process      int32?   [identifier]  The row in table process that made it; its pid is the rank.
--   layer        string?  [name]        posix, stdio or mpiio; null if the format does not record it.
--   operation    string   [name]        As in table parallel_io.
--   file         int32?   [identifier]  The file.
--   offset       int64?   [bytes]       Where in the file the access starts.
--   length       int64?   [bytes]       How many bytes moved.
--   requested    int64?   [bytes]       How many bytes were requested, if the trace has it.

with moved as (
    select file, bool_or(layer is distinct from 'mpiio') as has_lowest
    from parallel_io
    where operation in ('read', 'write')
    group by file
)
select seq, time_ns, duration_ns, process, layer, operation, parallel_io.file, "offset", length, requested
from parallel_io
left join moved on moved.file = parallel_io.file
where layer is distinct from 'mpiio' or not has_lowest
