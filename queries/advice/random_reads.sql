-- {number} random reads of a large file, {most} of {path}
--
-- Reads all over a large file are as slow as the device is at random reads, until what they touch is in memory.
--
-- Source: iotrace; Richardson 1994, section 3.3.2, for what is sequential.
-- Family: syscall
-- Change: Give the page cache more memory
-- Do: Let the page cache hold what is read: the bytes at stake are what it needs. Else sort the reads by place, ask for them ahead (posix_fadvise, io_uring with many at once), or lay the file out by how it is read.
-- Check: The cache that would serve them: iotrace curve TRACE. Record again: p50 of the reads falls (iotrace time --by call,file).
-- Confidence: medium. Whether these reads came from memory or from the device is not judged here; rule one_at_a_time judges it by their times.
--
-- Thresholds:
--   least_reads       200       Reads of one file by one process.
--   least_file_bytes  16777216  The file's size.

select path, process, count(*) filter (not sequential) as number, 'random reads' as unit,
       sum(cost_ns) filter (not sequential) / 1e9 as at_stake_s,
       count(distinct "offset" // 4096) * 4096 as at_stake_bytes
from data_call
where not writes and length is not null
group by path, process
having count(*) >= $least_reads and max(file_size) >= $least_file_bytes
   and count(*) filter (not sequential) >= 0.5 * count(*)
