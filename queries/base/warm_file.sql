-- Files and the pages of them that were cached before
--
-- One row per file that a recording with --kernel opened and read. A page was cached before if its first read ends before any of
-- the kernel's events brings the page in; where the length of reads is unknown, if none ever does. Reads past the page cache,
-- and mapped files, do not count.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   path        string  [name]   The file's first name.
--   read_bytes  int64   [bytes]  Different pages that are read, times 4096.
--   warm_bytes  int64   [bytes]  Those of them that were cached before, times 4096.

with read_page as (
    select device_number, inode, path, page, min(end_ns) as first_end_ns
    from (
        select device_number, inode, path, time_ns + duration_ns as end_ns,
               unnest(range("offset" // 4096, ("offset" + length - 1) // 4096 + 1)) as page
        from reference
        join opened_file on opened_file.file = reference.file
        where operation = 'read' and length > 0 and "offset" >= 0 and time_ns is not null
          and not contains(coalesce(flags, ''), 'mapped') and not contains(coalesce(flags, ''), 'direct')
          and page_cache_recorded()
    )
    group by device_number, inode, path, page
),
added as (
    select device_number, inode, page, min(time_ns) as added_ns
    from (
        select device_number, inode, time_ns, unnest(range(page, page + pages)) as page
        from page_cache_event
        where event = 'added' and pages between 1 and 1e6
    )
    group by device_number, inode, page
)
select path, (4096 * count(*))::bigint as read_bytes,
       (4096 * count(*) filter (added_ns is null or coalesce(added_ns > first_end_ns, false)))::bigint as warm_bytes
from read_page
left join added using (device_number, inode, page)
group by device_number, inode, path
