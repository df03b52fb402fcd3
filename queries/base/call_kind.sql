-- Kinds of storage calls
--
-- What a call on a file does, by its name: read or write data, or sync it. Calls that are not here are metadata where
-- they are storage calls (open, close, stat, readlink, rename and the like).
--
-- Source: iotrace.
--
-- Columns:
--   call  string  [name]  The system call's name.
--   kind  string  [name]  read, write or sync.

select unnest(calls) as call, kind
from (values
    ('read', ['read', 'readv', 'pread64', 'preadv', 'preadv2', 'sendfile', 'sendfile64']),
    ('write', ['write', 'writev', 'pwrite64', 'pwritev', 'pwritev2', 'copy_file_range', 'splice', 'tee', 'vmsplice']),
    ('sync', ['fsync', 'fdatasync', 'sync', 'syncfs', 'sync_file_range', 'msync'])
) as listed(kind, calls)
