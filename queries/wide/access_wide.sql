-- Accesses of parallel programs with names and wall-clock time
--
-- One row per row of view lowest_layer_call, so that each byte that moved is there once: of each file the calls of the lowest
-- layer that the trace has. It has all that a question about the I/O of a parallel program usually needs: rank, path and
-- wall-clock time. Start here for questions about parallel programs; table parallel_io has the calls of all layers.
--
-- Source: iotrace.
-- Family: parallel_io
--
-- Columns:
--   rank          int32?     [identifier]  The rank, or the process's number if the trace has no ranks; null for a record that any free process takes.
--   operation     string     [name]        open, close, read, write, seek, sync, truncate, delete, barrier, compute or list_io.
--   path          string?    [name]        The file; null for barrier and compute.
--   directory     string?    [name]        The path without its last element; null without an absolute path.
--   offset_bytes  int64?     [bytes]       Where in the file a read or write starts, a seek goes or a truncate ends, as in the trace; null where the call has no offset.
--   bytes         int64?     [bytes]       How many bytes a read or write moved; null for other calls.
--   at            timestamp? [UTC]         When it was issued, to the microsecond; null if the trace has no wall-clock time. "at" is a word of SQL: it needs double quotes; started_at is the same.
--   duration      interval?  [time]        How long it took, to the microsecond, if the trace has it.
--   duration_ns   int64?     [ns]          How long it took, if the trace has it.
--   layer         string?    [name]        The library that was called: posix, stdio or mpiio; null if the format does not record it.
--   program       string?    [name]        The program, if the trace has it.
--   started_at    timestamp? [UTC]         The same as "at".
--   time_ns       int64?     [ns]          When it was issued, since the first event of the trace; null if the trace has no times.
--   job           int32?     [identifier]  The job, where a trace holds several.
--   node          int32?     [identifier]  The machine on which it ran, if the trace has it.
--   process       int32?     [identifier]  Its row in table process.
--   file          int32?     [identifier]  Its file's row in table file.
--   seq           int64      [position]    Its row in table parallel_io.

select process.pid as rank, low.operation, file.path, parent_directory(file.path) as directory,
       low."offset" as offset_bytes, if(low.operation in ('read', 'write'), low.length, null) as bytes,
       wall_clock(low.time_ns) as "at", to_microseconds(low.duration_ns // 1000) as duration, low.duration_ns, low.layer,
       process.program, wall_clock(low.time_ns) as started_at, low.time_ns, process.job, parallel_io.node, low.process,
       low.file, low.seq
from lowest_layer_call as low
join parallel_io on parallel_io.seq = low.seq
left join process on process.process = low.process
left join file on file.file = low.file
