-- {number} small sequential writes, {most} of {path}
--
-- Writes of a few bytes, one after the other, pay for a system call each time; a buffer would turn hundreds of them into one.
--
-- Source: iotrace; the idea of buffered input and output is that of C's standard library.
-- Family: syscall
-- Change: Write through a buffer
-- Do: Write through a buffer: in C fwrite with setvbuf, in Python open() without buffering=0 and no flush after each write, in Java BufferedOutputStream, in Go bufio; dd with a larger bs.
-- Check: Record again: the writes of the file are fewer and larger (iotrace characterize requests_by_size).
-- Confidence: high. What is saved is computed from the calls that buffers of 64 KB would leave; the rest of a call's time stays.
--
-- Thresholds:
--   least_calls    1000   Writes of one file by one process.
--   most_bytes     1024   Mean bytes of a write.
--   buffer_bytes   65536  The buffer with which the saving is computed.
--   most_lengths   10     Different lengths among them; with more they are taken for lines (rule line_writes).

select path, process, count(*) as number, 'writes' as unit,
       sum(at_stake_ns) / 1e9 * (1 - least(1, ceil(sum(length) / $buffer_bytes) / count(*))) as at_stake_s,
       null as at_stake_bytes
from data_call
where writes and length is not null
group by path, process
having count(*) >= $least_calls and avg(length) <= $most_bytes
   and count(*) filter (sequential) >= 0.9 * count(*)
   and count(distinct length) <= $most_lengths
