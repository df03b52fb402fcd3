-- Static objects
--
-- One row per object that the workload touched: a distinct pair of file and type among the requests, with
-- what was requested of it. A file that is built and then run is two objects. Inodes and directories are
-- referenced whole, so that their size is that of a reference; another file has the size that parameter
-- file_size chooses or, if the trace has none, what the requests show of it.
--
-- Source: Richardson 1994, section 3.1.
-- Materialize: yes
--
-- Columns:
--   file             int32   [identifier]  The file.
--   type             string  [name]        inode, directory, executable, datafile or disk.
--   size_bytes       int64   [bytes]       Its static size.
--   size_known       bool    [truth]       Whether the size is in the trace.
--   requests         int64   [requests]    All requests for it.
--   reads            int64   [requests]    Those that read.
--   updates          int64   [requests]    Inode writes that only note an access.
--   writes           int64   [requests]    The other writes.
--   bytes            int64   [bytes]       What all requests moved.
--   bytes_read       int64   [bytes]       What the reads moved.
--   requests_unmoved int64   [requests]    Of all requests, those that no call made: programs read whole, mappings.
--   bytes_unmoved    int64   [bytes]       What these moved, of what the reads moved.
--   bytes_updated    int64   [bytes]       What the updates moved.
--   bytes_written    int64   [bytes]       What the other writes moved.
--   unknown_lengths  int64   [requests]    Requests whose length is not in the trace; they count no bytes.

with touched as (
    select file, type,
           count(*) as requests,
           count(*) filter (operation = 'read') as reads,
           count(*) filter (operation = 'update') as updates,
           count(*) filter (operation = 'write') as writes,
           coalesce(sum(length), 0) as bytes,
           coalesce(sum(length) filter (operation = 'read'), 0) as bytes_read,
           count(*) filter (unmoved) as requests_unmoved,
           coalesce(sum(length) filter (unmoved), 0) as bytes_unmoved,
           coalesce(sum(length) filter (operation = 'update'), 0) as bytes_updated,
           coalesce(sum(length) filter (operation = 'write'), 0) as bytes_written,
           count(*) - count(length) as unknown_lengths,
           coalesce(max(length), 0) as longest,
           coalesce(max("offset" + length), max(length), 0) as extent
    from request
    group by file, type
),
chosen as (
    select file,
           case parameter_file_size()
               when 'first' then size_first_bytes
               when 'last' then size_last_bytes
               else size_largest_bytes
           end as size
    from file
)
select touched.file, type,
       case when type in ('inode', 'directory') then longest when type = 'disk' then coalesce(footprint_bytes, 0)
            else coalesce(chosen.size, extent) end as size_bytes,
       type in ('inode', 'directory') or (type <> 'disk' and chosen.size is not null) as size_known,
       touched.requests, reads, updates, writes, bytes, bytes_read, requests_unmoved, bytes_unmoved, bytes_updated, bytes_written, unknown_lengths
from touched
left join chosen on chosen.file = touched.file
left join disk_footprint on disk_footprint.file = touched.file and type = 'disk'
