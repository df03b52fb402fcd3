-- {number} writes of a line each, {most} to {path}
--
-- A log that is written line by line costs a call for each line, while the reader of the log could wait a moment.
--
-- Source: iotrace.
-- Family: syscall
-- Change: Buffer the log
-- Do: Let the logger buffer (flush every second, or at errors), lower the log level, or write to a pipe that a collector reads.
-- Check: Record again: the writes of the file are fewer and larger (iotrace characterize requests_by_size).
-- Confidence: medium. The time in the calls is recorded; lines that were buffered are lost when the program crashes.
--
-- Thresholds:
--   least_calls   500    Writes of one file by one process.
--   most_bytes    256    Mean bytes of a write.
--   more_lengths  10     There are more different lengths than this, as lines have.
--   buffer_bytes  65536  The buffer with which the saving is computed.

select path, process, count(*) as number, 'writes' as unit,
       sum(at_stake_ns) / 1e9 * (1 - least(1, ceil(sum(length) / $buffer_bytes) / count(*))) as at_stake_s,
       null as at_stake_bytes
from data_call
where writes and length is not null
group by path, process
having count(*) >= $least_calls and avg(length) <= $most_bytes and count(distinct length) > $more_lengths
   and count(*) filter (sequential) >= 0.9 * count(*)
