-- Static objects of the population
--
-- One row per static object of the population (parameter population) with the requests that it counts.
--
-- Source: iotrace.
--
-- Columns:
--   file           int32   [identifier]  The file.
--   type           string  [name]        inode, directory, executable, datafile or disk.
--   size_bytes     int64   [bytes]       Its static size.
--   requests       int64   [requests]    All requests for it; of data, without mappings and programs that are read whole.
--   bytes_read     int64   [bytes]       Bytes that read calls moved.
--   mapped_bytes   int64   [bytes]       Bytes that mappings and whole reads of programs may have read.
--   bytes_written  int64   [bytes]       Bytes that writes and updates moved.

select file, type, size_bytes, if(parameter_population() = 'data', requests - requests_unmoved, requests) as requests,
       bytes_read - bytes_unmoved as bytes_read, bytes_unmoved as mapped_bytes,
       bytes_updated + bytes_written as bytes_written
from static_object
where in_population(type, false)
