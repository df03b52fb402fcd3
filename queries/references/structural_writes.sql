-- Writes that keep the file system consistent
--
-- Which writes to inodes and directories change the file system: most inode writes are updates, which only
-- record an access. Every directory write is structural.
--
-- Source: Richardson 1994, section 3.2.1.
-- Family: syscall
--
-- Columns:
--   inode_requests                         int64    [requests]  All requests for inodes.
--   inode_read_percent                     double?  [percent]   Those that read.
--   inode_update_percent                   double?  [percent]   Those that note an access.
--   inode_modification_percent             double?  [percent]   Those that change the inode.
--   modifications_percent_of_inode_writes  double?  [percent]   Changes among all inode writes, updates included.
--   directory_requests                     int64    [requests]  All requests for directories.
--   directory_write_percent                double?  [percent]   Those that write.
--   structural_writes                      int64    [requests]  Inode modifications and directory writes together.
--   structural_percent_of_all              double?  [percent]   Their share of all requests of all types.
--
-- Shown:
--   inode requests
--   reads %                         = inode_read_percent
--   updates %                       = inode_update_percent
--   modifications %                 = inode_modification_percent
--   modifications % of inode writes = modifications_percent_of_inode_writes
--   directory requests
--   directory writes %              = directory_write_percent
--   structural writes
--   structural writes % of all      = structural_percent_of_all

with counted as (
    select coalesce(sum(requests), 0) as requests,
           coalesce(sum(requests) filter (type = 'inode'), 0) as inode_requests,
           coalesce(sum(reads) filter (type = 'inode'), 0) as inode_reads,
           coalesce(sum(updates) filter (type = 'inode'), 0) as inode_updates,
           coalesce(sum(writes) filter (type = 'inode'), 0) as inode_writes,
           coalesce(sum(requests) filter (type = 'directory'), 0) as directory_requests,
           coalesce(sum(writes) filter (type = 'directory'), 0) as directory_writes
    from static_object
)
select inode_requests,
       percent_of(inode_reads, inode_requests) as inode_read_percent,
       percent_of(inode_updates, inode_requests) as inode_update_percent,
       percent_of(inode_writes, inode_requests) as inode_modification_percent,
       percent_of(inode_writes, inode_updates + inode_writes) as modifications_percent_of_inode_writes,
       directory_requests,
       percent_of(directory_writes, directory_requests) as directory_write_percent,
       inode_writes + directory_writes as structural_writes,
       percent_of(inode_writes + directory_writes, requests) as structural_percent_of_all
from counted
