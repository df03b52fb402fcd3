-- {number} requests jump backwards, {most} in {path}
--
-- A rank that jumps backwards in a file defeats what the servers read ahead and gather, and makes disks seek. Of requests
-- in no order about half jump backwards. Files that the log's counters show to be used by collective calls are left out.
--
-- Source: iotrace; Drishti (Bez and others 2022) warns by these thresholds of requests that begin before the last one's end, and so of the same bytes again, too.
-- Family: parallel_io
-- Change: Sort requests by offset
-- Do: Sort a rank's requests by place before they are made, or hand many to one collective call (MPI_File_set_view with an indexed type, then MPI_File_read_all or MPI_File_write_all), which sorts them over all ranks. A file that fits in memory: read it whole, once, in order.
-- Check: Record again: fewer requests begin before where the last one did (iotrace advice --rule random_parallel_requests).
-- Confidence: medium. The time is that of these requests; how much of it sorting saves depends on the servers' disks and caches, which are not in the trace.
--
-- Thresholds:
--   least_requests  1000  Such requests to one file.
--   least_percent   20    Their part of the file's requests.

with followed as (
    select path, process, duration_ns, length,
           coalesce("offset" < lag("offset") over each_rank, false) as is_random
    from data_call
    where "offset" is not null and length is not null and file not in (select file from collective_file)
    window each_rank as (partition by process_row, file, writes order by seq)
)
select path, first_of(process) as process, count(*) filter (is_random) as number, 'requests' as unit,
       sum(duration_ns) filter (is_random) / 1e9 as at_stake_s, sum(length) filter (is_random) as at_stake_bytes
from followed
group by path
having count(*) filter (is_random) >= greatest($least_requests, $least_percent / 100 * count(*))
