-- {number} small writes, each apart from the one before, {most} to {path}
--
-- Writes of a few bytes at places apart from each other (strided, or at random) pay for a system call each time, and no buffer
-- of one program gathers them. What adjoins or overlaps the write before of the same file, by whatever descriptor, is none.
--
-- Source: iotrace; Kotz and Ellis 1991 name such patterns.
-- Family: syscall
-- Change: Collect small writes
-- Do: Keep the records in memory and write ranges of the file at once (pwritev for pieces that adjoin), or lay the file out so that what a process writes adjoins. Several processes with one file: write collectively (MPI_File_write_at_all), so that they exchange pieces and write large ones.
-- Check: Record again: the writes of the file are fewer and larger (iotrace characterize requests_by_size).
-- Confidence: medium. The time is that of these calls; how many of them the program's order of work lets it gather is not in a trace.
--
-- Thresholds:
--   least_calls  1000  Writes of one file by all processes.
--   most_bytes   1024  Mean bytes of a write.

with small as ( -- few paths, so that the order of few writes is looked at
    select path
    from data_call
    where writes and length is not null
    group by path
    having count(*) >= $least_calls and avg(length) <= $most_bytes
),
written as (
    select data_call.path, process, at_stake_ns,
           coalesce(not sequential and ("offset" > lag("offset" + length) over of_file
                                        or "offset" + length < lag("offset") over of_file), false) as is_apart
    from data_call
    semi join small on small.path is not distinct from data_call.path
    where writes and length is not null
    window of_file as (partition by file order by seq)
)
select path, first_of(process) as process, count(*) filter (is_apart) as number, 'writes' as unit,
       sum(at_stake_ns) filter (is_apart) / 1e9 as at_stake_s, null as at_stake_bytes
from written
group by path
having count(*) filter (is_apart) >= 0.5 * count(*)
