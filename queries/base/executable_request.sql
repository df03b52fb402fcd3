-- Requests for executables by how they are made
--
-- What calls read and write of executables, what is read of whole programs, and what mappings of programs read.
--
-- Source: iotrace.
-- Merge: by place
--
-- Columns:
--   place          int32   [position]  Its place in statistic bytes_by_origin: 2, 4 and 3.
--   requests       int64   [requests]  How many.
--   bytes_read     int64?  [bytes]     What they read.
--   bytes_written  int64?  [bytes]     What they write.

select case when mapped then 3 when whole_executable then 4 else 2 end as place, count(*) as requests,
       sum(length) filter (not writes) as bytes_read, sum(length) filter (writes) as bytes_written
from request
where type = 'executable'
group by place
