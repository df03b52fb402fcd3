-- {number} small sequential reads, {most} of {path}
--
-- Reads of a few bytes, one after the other, pay for a system call each time; a buffer would turn hundreds of them into one.
--
-- Source: iotrace; the idea of buffered input and output is that of C's standard library.
-- Family: syscall
-- Change: Read through a buffer
-- Do: Read through a buffer: in C fread or a larger read, in Python open() without buffering=0, in Java BufferedInputStream, in Go bufio; or map the file.
-- Check: Record again: the reads of the file are fewer and larger (iotrace characterize requests_by_size).
-- Confidence: high. What is saved is computed from the calls that buffers of 64 KB would leave; the rest of a call's time stays.
--
-- Thresholds:
--   least_calls    1000   Reads of one file by one process.
--   most_bytes     1024   Mean bytes of a read.
--   buffer_bytes   65536  The buffer with which the saving is computed.

select path, process, count(*) as number, 'reads' as unit,
       sum(at_stake_ns) / 1e9 * (1 - least(1, ceil(sum(length) / $buffer_bytes) / count(*))) as at_stake_s,
       null as at_stake_bytes
from data_call
where not writes and length is not null
group by path, process
having count(*) >= $least_calls and avg(length) <= $most_bytes
   and count(*) filter (sequential) >= 0.9 * count(*)
