-- Files by bytes moved
--
-- The objects of the population (parameter population) for which calls move most bytes (parameter top).
--
-- Source: iotrace.
--
-- Columns:
--   path           string?  [name]            Its path, or that of the file whose inode it is; missing where unknown.
--   type           string   [name]            inode, directory, executable, datafile or disk.
--   size_bytes     int64    [bytes]           Its static size.
--   requests       int64    [requests]        Requests for it.
--   bytes_read     int64    [bytes]           Bytes that read calls moved.
--   mapped_bytes   int64    [bytes]           Bytes of programs that mappings and whole reads may have read.
--   bytes_written  int64    [bytes]           Bytes that writes and updates moved.
--   bytes_percent  double?  [percent]         Their share of the trace's bytes.
--   byte_reuse     double?  [bytes per byte]  Bytes moved per byte of its size.

select path, type, size_bytes, requests, bytes_read, mapped_bytes, bytes_written,
       percent_of(bytes_read + bytes_written, sum(bytes_read + bytes_written) over ()) as bytes_percent,
       ratio_of(bytes_read + bytes_written, size_bytes) as byte_reuse
from placed_object
order by bytes_read + bytes_written desc, requests desc, file, type
limit least(parameter_top(), 200)
