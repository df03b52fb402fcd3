-- {path} is copied through the program{others}
--
-- Reads of one file and writes of another follow each other with the same lengths: the data take the way through the
-- program's memory and two calls for each piece.
--
-- Source: copy_file_range(2) and sendfile(2) of the Linux manual pages; iotrace.
-- Family: syscall
-- Change: Let the kernel copy
-- Do: Let the kernel copy: copy_file_range (cp --reflink=auto, shutil.copyfile from Python 3.14), sendfile, or a link instead of a copy.
-- Check: Record again: copy_file_range stands where the reads and writes stood (iotrace time --by call).
-- Confidence: medium. The lengths match; whether the program changed the bytes is not in the trace.
--
-- Thresholds:
--   least_pairs  16       Reads that a write of as many bytes follows, of one file into another.
--   least_bytes  1048576  Bytes copied so.

with following as (
    select *, lead(path) over next as path_to, lead(writes) over next as writes_next, lead(length) over next as length_next,
           lead(at_stake_ns) over next as at_stake_next_ns
    from data_call
    window next as (partition by process_row order by seq)
)
select path, process, sum(length) as number, 'bytes' as unit,
       sum(at_stake_ns + at_stake_next_ns) / 1e9 as at_stake_s, sum(length) as at_stake_bytes
from following
where not writes and writes_next and length = length_next and length > 0 and path <> path_to
group by path, path_to, process
having count(*) >= $least_pairs and sum(length) >= $least_bytes
