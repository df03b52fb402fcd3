-- Files as the kernel knows them
--
-- One row per file that a call opened, of recordings by BPF programs: its device and inode, by which tables
-- page_cache_event, disk_io_file and ring_request name it.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   file           int32   [identifier]  As in table file.
--   path           string  [name]        Its first name.
--   device_number  int64   [identifier]  The device of the file system: the major number from bit 20 on, and the minor number.
--   inode          int64   [identifier]  The file's number on that device.

select distinct file.file, path, device_number, inode
from opened_inode
join call_file using (call_seq)
join file on file.file = call_file.file
