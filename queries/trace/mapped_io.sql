-- I/O of mapped files
--
-- Files that are mapped into memory, of recordings with --kernel: which of their pages were touched, and what was read
-- from disks and written to them for them. Touched pages are those for which a thread had to ask the kernel, which then
-- maps some pages around them, too: more may have been touched. Reads and writes of the same file by calls have a part in
-- the bytes, and are in other statistics; what a disk writes after the recording is not seen. The first 200 files.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   path           string  [name]      The file's first name.
--   mappings       int64   [mappings]  How many mappings.
--   size_bytes     int64?  [bytes]     Its size (parameter file_size), if known.
--   touched_pages  int64   [4-KB pages]  Different pages that a thread touched first.
--   read_bytes     int64   [bytes]     Read from disks.
--   written_bytes  int64   [bytes]     Written to disks.
--
-- Shown:
--   path
--   mappings
--   size          = size_bytes
--   touched       = touched_pages
--   read          = read_bytes
--   written       = written_bytes

with mapped as (
    select file, count(*) as mappings from mapping where page_cache_recorded() group by file
),
known as (
    select device_number, inode, min(mapped.file) as file, min(path) as path, max(mappings) as mappings
    from mapped
    join opened_file on opened_file.file = mapped.file
    group by device_number, inode
),
touched as (
    select device_number, inode, count(distinct page) as pages from page_cache_event where event = 'fault' group by all
),
moved as (
    select device_number, inode, sum(512 * blocks) filter (operation = 'read') as read_bytes,
           sum(512 * blocks) filter (operation = 'write') as written_bytes
    from disk_io
    join disk_io_file using (seq)
    group by all
)
select known.path, mappings,
       case parameter_file_size()
           when 'first' then size_first_bytes
           when 'last' then size_last_bytes
           else size_largest_bytes
       end as size_bytes,
       coalesce(pages, 0) as touched_pages, coalesce(read_bytes, 0)::bigint as read_bytes,
       coalesce(written_bytes, 0)::bigint as written_bytes
from known
left join file using (file)
left join touched using (device_number, inode)
left join moved using (device_number, inode)
order by read_bytes + written_bytes desc, touched_pages desc, known.path
limit 200
