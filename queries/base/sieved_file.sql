-- Files of which MPI-IO moves more than was asked for
--
-- One row per job, file of MPI-IO and kind of calls below which POSIX moved more than MPI-IO did: to write pieces, it read and
-- wrote blocks; to read pieces of a file that was not written, it read what is between them.
--
-- Source: Thakur, Gropp and Lusk 1999, on data sieving.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   job          int32    [identifier]  The log.
--   file         int32    [identifier]  The file.
--   kind         string   [name]        read or write: the calls of MPI-IO.
--   path         string   [name]        The file's path.
--   log          string?  [name]        The log's file; null where there is one alone.
--   spent_s      double   [s]           Time of these calls, added up over ranks.
--   extra_read     int64?   [bytes]       What POSIX read beyond what MPI-IO did.
--   extra_written  int64?   [bytes]       What POSIX wrote beyond what MPI-IO did; 0 for calls that read.
--   extra_bytes    int64?   [bytes]       Both.
--   moved_bytes    int64?   [bytes]       What POSIX moved for these calls.

with of_file as (
    select job, file, any_value(path) as path, any_value(log) as log,
           coalesce(sum(spent_s) filter (kind = 'read'), 0) as read_s,
           coalesce(sum(spent_s) filter (kind = 'write'), 0) as write_s,
           coalesce(sum(calls) filter (kind = 'write'), 0) as writes,
           coalesce(sum(bytes) filter (kind = 'read'), 0) as bytes_read,
           coalesce(sum(bytes) filter (kind = 'write'), 0) as bytes_written
    from job_request
    where layer = 'mpiio'
    group by job, file
), below as (
    select job, file, whole_sum(bytes_read) as read_below, whole_sum(bytes_written) as written_below
    from layer_record
    where layer = 'posix'
    group by job, file
), extra as (
    select *, greatest(0, read_below - bytes_read) as extra_read, greatest(0, written_below - bytes_written) as extra_written
    from of_file
    join below using (job, file)
)
select job, file, 'write' as kind, path, log, write_s as spent_s, try_cast(extra_read as bigint) as extra_read,
       try_cast(extra_written as bigint) as extra_written, try_cast(extra_read + extra_written as bigint) as extra_bytes,
       try_cast(extra_read + written_below as bigint) as moved_bytes
from extra
where writes > 0 and extra_read > 0
union all
select job, file, 'read', path, log, read_s, try_cast(extra_read as bigint), 0, try_cast(extra_read as bigint), try_cast(read_below as bigint)
from extra
where writes = 0 and extra_read > 0 and bytes_read > 0
