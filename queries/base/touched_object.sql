-- What requests show of objects
--
-- One row per object that the workload touched, a distinct pair of file and type among the requests: what was requested
-- of it, and how far.
--
-- Source: Richardson 1994, section 3.1.
-- Merge: by file, type; max longest_bytes, end_bytes
--
-- Columns:
--   file             int32   [identifier]  The file.
--   type             string  [name]        inode, directory, executable, datafile or disk.
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
--   longest_bytes    int64?  [bytes]       The longest request; missing if no length is known.
--   end_bytes        int64?  [bytes]       Where the furthest request ended; missing if no place is known.

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
       max(length) as longest_bytes,
       max("offset" + length) as end_bytes
from request
group by file, type
