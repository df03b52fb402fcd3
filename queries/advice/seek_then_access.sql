-- {number} seeks before a read or write elsewhere, {most} in {path}
--
-- A program moves the file pointer with lseek before each read or write: two calls, where one that takes the place as an
-- argument does.
--
-- Source: pread(2) of the Linux manual pages; iotrace.
-- Family: syscall
-- Change: Use pread and pwrite
-- Do: Use pread and pwrite (os.pread of Python, ReadAt of Go, read_at of Rust, FileChannel.read with a position of Java), which need no seek, and which threads can use on one descriptor at the same time.
-- Check: Record again: lseek falls, and pread64 or pwrite64 stands where read and write stood (iotrace time --by call).
-- Confidence: high. Each of these seeks moved the pointer, and the next call on the descriptor read or wrote there; the time is that of the seeks.
--
-- Thresholds:
--   least_seeks    200  Such seeks in one file by one process.
--   least_percent  50   Their part of the process's reads and writes of the file.

with sought as ( -- most traces have too few
    select first, fd
    from syscall
    join process_name using (process)
    where call in ('lseek', '_llseek') and contains(flags, 'SEEK_SET')
    group by first, fd
    qualify sum(count(*)) over () >= $least_seeks
),
followed as (
    select seq, call, flags, lead(call) over same as call_next, lead(seq) over same as seq_next
    from syscall
    join process_name using (process)
    semi join sought using (first, fd)
    where fd is not null and error is null
    window same as (partition by first, fd order by seq)
),
pair as (
    select seq_next as seq, at_stake_ns
    from followed
    join costed_call using (seq)
    where followed.call in ('lseek', '_llseek') and contains(flags, 'SEEK_SET')
          and call_next in ('read', 'readv', 'write', 'writev')
)
select path, data_call.process, count(pair.seq) as number, 'seeks' as unit, sum(pair.at_stake_ns) / 1e9 as at_stake_s,
       null as at_stake_bytes
from data_call
left join pair on pair.seq = data_call.seq and not sequential
where file in (select file from data_call semi join pair using (seq))
group by path, data_call.process
having count(pair.seq) >= greatest($least_seeks, $least_percent / 100 * count(*))
