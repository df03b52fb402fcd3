-- {number} seeks that change nothing, {most} in {path}
--
-- A seek to where the file pointer is already, or a question where it is, costs a call. A seek to the end, which tells a file's
-- size, and one to the next data or hole are none of these.
--
-- Source: iotrace.
-- Family: syscall
-- Change: Leave out seeks that change nothing
-- Do: Leave them out, or use pread and pwrite, which need no seek; in C a buffered stream asks with ftell and fseek, which drops its buffer.
-- Check: Record again: lseek falls (iotrace time --by call).
-- Confidence: high. They moved nothing: the answer is where the call before on the descriptor had left the pointer, or was asked for.
--
-- Thresholds:
--   least_seeks  100  Such seeks in one file by one process.

with sought as ( -- most traces have too few
    select first, fd
    from syscall
    join process_name using (process)
    where call in ('lseek', '_llseek') and (contains(flags, 'SEEK_CUR') and "offset" = 0 or contains(flags, 'SEEK_SET'))
    group by first, fd
    qualify sum(count(*)) over () >= $least_seeks
),
followed as (
    select seq, call, flags, result, "offset", lag(seq) over same as seq_before, lag(call) over same as call_before,
           lag(result) over same as result_before
    from syscall
    join process_name using (process)
    semi join sought using (first, fd)
    where fd is not null and error is null
    window same as (partition by first, fd order by seq)
),
seek as (
    select * from followed where call in ('lseek', '_llseek')
)
select timed_call.file as path, name as process, count(*) as number, 'seeks' as unit,
       sum(timed_call.at_stake_ns) / 1e9 as at_stake_s, null as at_stake_bytes
from seek
join timed_call using (seq)
join process_name on process_name.process = timed_call.process
left join data_call as moved
    on moved.seq = seq_before and call_before in ('read', 'readv', 'write', 'writev') and moved.length = result_before
where contains(seek.flags, 'SEEK_CUR') and seek."offset" = 0
   or contains(seek.flags, 'SEEK_SET')
      and (call_before in ('lseek', '_llseek') and result_before = result or moved."offset" + moved.length = result)
group by timed_call.file, name
having count(*) >= $least_seeks
