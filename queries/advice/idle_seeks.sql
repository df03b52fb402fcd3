-- {number} seeks that change nothing, {most} in {path}
--
-- A seek to where the file pointer is already, or a question where it is, costs a call.
--
-- Source: iotrace.
-- Family: syscall
-- Do: Leave them out, or use pread and pwrite, which need no seek; in C a buffered stream asks with ftell and fseek, which drops its buffer.
-- Check: Record again: lseek falls (iotrace time --by call).
-- Confidence: high. They moved nothing: the answer is that of the seek before, with nothing read or written between, or was asked for.
--
-- Thresholds:
--   least_seeks  100  Such seeks in one file by one process.

with followed as (
    select seq, call, flags, result, "offset", duration_ns, process,
           lag(call) over same as call_before, lag(result) over same as result_before
    from syscall
    where fd is not null and error is null
    window same as (partition by thread, fd order by seq)
)
select file as path, name as process, count(*) as number, 'seeks' as unit, sum(followed.duration_ns) / 1e9 as at_stake_s,
       null as at_stake_bytes
from followed
join timed_call using (seq)
join process_name on process_name.process = followed.process
where followed.call in ('lseek', '_llseek')
  and (contains(flags, 'SEEK_CUR') and "offset" = 0
       or call_before in ('lseek', '_llseek') and result_before = result)
group by file, name
having count(*) >= $least_seeks
