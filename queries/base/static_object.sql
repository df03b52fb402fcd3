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

with chosen as (
    select file,
           case parameter_file_size()
               when 'first' then size_first_bytes
               when 'last' then size_last_bytes
               else size_largest_bytes
           end as size
    from file
)
select touched_object.file, type,
       case when type in ('inode', 'directory') then coalesce(longest_bytes, 0) when type = 'disk' then coalesce(footprint_bytes, 0)
            else coalesce(chosen.size, end_bytes, longest_bytes, 0) end as size_bytes,
       type in ('inode', 'directory') or (type <> 'disk' and chosen.size is not null) as size_known,
       touched_object.requests, reads, updates, writes, bytes, bytes_read, requests_unmoved, bytes_unmoved, bytes_updated, bytes_written, unknown_lengths
from touched_object
left join chosen on chosen.file = touched_object.file
left join disk_footprint on disk_footprint.file = touched_object.file and type = 'disk'
