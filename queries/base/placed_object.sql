-- Static objects with their paths
--
-- One row per static object of the population (parameter population) with the path by which it was first known; an inode has the path of its file.
--
-- Source: iotrace.
--
-- Columns:
--   file           int32    [identifier]  The file.
--   type           string   [name]        inode, directory, executable, datafile or disk.
--   path           string?  [name]        Its path; missing if the trace shows none.
--   is_directory   bool     [truth]       Whether the path is a directory's.
--   size_bytes     int64    [bytes]       Its static size.
--   requests       int64    [requests]    All requests for it.
--   bytes_read     int64    [bytes]       Bytes that read calls moved.
--   mapped_bytes   int64    [bytes]       Bytes that mappings and whole reads of programs may have read.
--   bytes_written  int64    [bytes]       Bytes that writes and updates moved.

select counted_object.file, type,
       coalesce(own.path, described.path) as path,
       coalesce(described.kind, own.kind) is not distinct from 'directory' as is_directory,
       size_bytes, requests, bytes_read, mapped_bytes, bytes_written
from counted_object
left join file as own on own.file = counted_object.file
left join file as described on described.file = own.of_file
