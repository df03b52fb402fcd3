-- The trace in one row
--
-- How long the trace is, who made it, and how much I/O it holds.
--
-- Source: iotrace.
--
-- Columns:
--   duration_ns         int64?  [ns]          From the trace's first event to its last, or to the end of a call that outlasts it, but not beyond the end of a part; missing without time stamps.
--   processes           int64   [processes]   Processes: thread groups by the kernel's number; one given twice counts once.
--   programs            int64   [programs]    Distinct programs that they executed.
--   calls               int64   [calls]       System calls, whether or not they made I/O.
--   references          int64   [references]  Rows of the reference stream.
--   requests            int64   [requests]    Requests: reads, writes and updates.
--   data_requests        int64   [requests]   Those that calls make for the data of files and disks.
--   undirected_requests  int64   [requests]   Requests of which the trace does not state whether they read or write.
--   key_requests        int64   [requests]   Requests for the objects of a cache or key-value store, by key.
--   files               int64   [files]       Files, directories and devices that the trace shows; their inodes are not counted.
--   requested_files     int64   [files]       Those of which more than the inode was requested.
--   bytes_read          int64   [bytes]       Bytes that reads moved.
--   bytes_written       int64   [bytes]       Bytes that writes and updates moved.
--   file_bytes_read     int64   [bytes]       Bytes read from datafiles, executables and disks alone.
--   file_bytes_written  int64   [bytes]       Bytes written to datafiles and disks alone.
--   static_bytes        int64   [bytes]       The total size of everything requested.
--
-- Shown:
--   duration    = duration_ns
--   processes
--   programs
--   calls
--   references
--   requests
--   data requests
--   undirected requests
--   key requests
--   files
--   requested files
--   bytes read
--   bytes written
--   file bytes read
--   file bytes written
--   size of all = static_bytes

with span as (
    select least(end_ns, (select max(end_ns) from part_interval)) as duration_ns, "references", calls, key_requests
    from trace_extent
),
known as (
    -- in groups, of which DuckDB writes some to disk where memory ends; of count(distinct file) it does not
    select count(*) as files, count(*) filter (is_requested) as requested_files
    from (
        select file, bool_or(is_requested) as is_requested
        from (
            select file, false as is_requested from file where kind <> 'inode'
            union all
            select file, true from static_object where type <> 'inode'
        )
        group by file
    )
),
ran as (
    select count(distinct (job, pid)) as processes, count(distinct program) as programs from process
),
moved as (
    select coalesce(sum(requests), 0) as requests,
           coalesce(sum(requests - requests_unmoved) filter (type not in ('inode', 'directory')), 0) as data_requests,
           coalesce(sum(bytes_read), 0) as bytes_read,
           coalesce(sum(bytes_updated + bytes_written), 0) as bytes_written,
           coalesce(sum(bytes_read) filter (type not in ('inode', 'directory')), 0) as file_bytes_read,
           coalesce(sum(bytes_written) filter (type not in ('inode', 'directory')), 0) as file_bytes_written,
           coalesce(sum(size_bytes), 0) as static_bytes
    from static_object
)
select duration_ns, processes, programs, calls, "references", requests, data_requests, undirected as undirected_requests, key_requests, files, requested_files,
       bytes_read, bytes_written, file_bytes_read, file_bytes_written, static_bytes
from span
cross join known
cross join ran
cross join moved
cross join undirected
