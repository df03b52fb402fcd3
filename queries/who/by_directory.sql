-- Directory trees by bytes moved
--
-- Where in the name space the I/O happens: each directory down to parameter tree_depth levels below the root,
-- with all that lies below it, itself included; the 200 that move most.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   directory      string   [name]      The directory; (no path) for what has no absolute one.
--   depth          int64    [levels]    How far it is below the root.
--   objects        int64    [objects]   Static objects in the tree: inodes, directories, executables, datafiles.
--   size_bytes     int64    [bytes]     Their total size.
--   requests       int64    [requests]  Requests for them.
--   bytes_read     int64    [bytes]     Bytes that read calls moved.
--   mapped_bytes   int64    [bytes]     Bytes of programs that mappings and whole reads may have read.
--   bytes_written  int64    [bytes]     Bytes that writes and updates moved.
--   bytes_percent  double?  [percent]   Their share of the trace's bytes.
--
-- Shown:
--   directory
--   objects
--   size           = size_bytes
--   requests
--   bytes read
--   mapped         = mapped_bytes
--   bytes written
--   bytes %        = bytes_percent

with element as (
    select *,
           case when starts_with(path, '/')
                then string_split(if(is_directory, rtrim(path, '/'), regexp_replace(path, '/[^/]*$', '')), '/')
                else ['(no path)'] end as elements
    from placed_object
),
ancestor as (
    select *, unnest(range(least(len(elements) - 1, parameter_tree_depth()) + 1)) as depth from element
),
summed as (
    select array_to_string(elements[1:depth + 1], '/') as directory, depth, count(*) as objects,
           sum(size_bytes) as size_bytes, sum(requests) as requests,
           sum(bytes_read) as bytes_read, sum(mapped_bytes) as mapped_bytes,
           sum(bytes_written) as bytes_written
    from ancestor
    group by all
)
select if(directory = '', '/', directory) as directory, depth, objects, size_bytes, requests, bytes_read, mapped_bytes, bytes_written,
       percent_of(bytes_read + bytes_written, sum(bytes_read + bytes_written) filter (depth = 0) over ())
           as bytes_percent
from summed
order by bytes_read + bytes_written desc, depth, directory
limit 200
