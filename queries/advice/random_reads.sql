-- {number} random reads of a large file, {most} of {path}
--
-- Reads all over a large file are as slow as the device is at random reads, until what they touch is in memory. Where the
-- recording has the requests to disks (view storage_time), a read that needed none is not at stake.
--
-- Source: iotrace; Richardson 1994, section 3.3.2, for what is sequential.
-- Family: syscall
-- Change: Read in order, or several at once
-- Do: Sort the reads by place, ask for them ahead (posix_fadvise, io_uring with many at once), or lay the file out by how it is read. More memory saves only what is read again: iotrace memory TRACE says how much; the bytes at stake are all that is read.
-- Check: Record again: p50 of the reads falls (iotrace time --by call,file).
-- Confidence: medium. Without requests to disks it is not known which reads came from memory; rule one_at_a_time judges it by their times.
--
-- Thresholds:
--   least_reads       200       Reads of one file by one process.
--   least_file_bytes  16777216  The file's size.

with large as ( -- most traces have few
    select distinct path from data_call where not writes and length is not null and file_size >= $least_file_bytes
)
select path, process, count(*) filter (is_random) as number, 'random reads' as unit,
       sum(at_stake_ns) filter (is_random) / 1e9 as at_stake_s,
       count(distinct "offset" // 4096) * 4096 as at_stake_bytes
from (
    select data_call.*, not sequential
               and (not disks_recorded() or coalesce(storage_time.device_ns + storage_time.queued_ns, 0) > 0) as is_random
    from data_call
    semi join large on large.path is not distinct from data_call.path
    left join storage_time on storage_time.seq = data_call.seq
    where not writes and length is not null
)
group by path, process
having count(*) >= $least_reads and max(file_size) >= $least_file_bytes
   and count(*) filter (is_random) >= 0.5 * count(*)
