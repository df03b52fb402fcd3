-- Files by bytes moved
--
-- The objects of the population (parameter population) for which calls move most bytes (parameter top). Where the
-- trace does not state directions, reads and writes are missing.
--
-- Source: iotrace.
--
-- Columns:
--   path           string?  [name]            Its path, or that of the file whose inode it is; missing if unknown.
--   type           string   [name]            inode, directory, executable, datafile or disk.
--   size_bytes     int64    [bytes]           Its static size.
--   requests       int64    [requests]        Requests for it.
--   bytes_read     int64?   [bytes]           Bytes that read calls moved.
--   mapped_bytes   int64    [bytes]           Bytes of programs that mappings and whole reads may have read.
--   bytes_written  int64?   [bytes]           Bytes that writes and updates moved.
--   bytes_percent  double?  [percent]         Their share of the trace's bytes.
--   byte_reuse     double?  [bytes per byte]  Bytes moved per byte of its size.
--
-- Shown:
--   path
--   type
--   size    = size_bytes
--   requests
--   bytes read
--   mapped  = mapped_bytes if mapped_bytes
--   bytes written
--   bytes % = bytes_percent
--   byte reuse

with moved as (
    select *, bytes_read + bytes_written as moved from counted_object
),
chosen as ( -- before they have paths: all paths of a trace take much memory
    select * from moved order by moved desc, requests desc, file, type limit least(parameter_top(), 200)
)
select coalesce(own.path, described.path) as path, type, size_bytes, requests,
       if(undirected = 0, bytes_read, null) as bytes_read, mapped_bytes,
       if(undirected = 0, bytes_written, null) as bytes_written,
       percent_of(moved, (select sum(moved) from moved)) as bytes_percent,
       ratio_of(moved, size_bytes) as byte_reuse
from chosen
left join file as own on own.file = chosen.file
left join file as described on described.file = own.of_file
cross join undirected
order by moved desc, requests desc, chosen.file, type
