-- {path} is shared, and its ranks make small requests each for themselves{others}
--
-- Many ranks read or write one file in pieces of less than a megabyte. Collective calls would put the pieces together
-- and let a few ranks move them.
--
-- Source: Thakur, Gropp and Lusk 1999, on data sieving and collective I/O; Drishti (Bez and others 2022).
-- Family: parallel_io
-- Change: Use collective calls
-- Do: Use the collective calls (MPI_File_read_at_all, MPI_File_write_at_all; for HDF5 and NetCDF the collective transfer mode), with ROMIO's romio_cb_write enabled.
-- Check: Record again: at the lowest layer the requests are fewer and larger.
-- Confidence: low. Files whose calls the log counts as collective are left out (rule unbuffered_collective_calls); a trace without such counters does not say which calls are collective.
--
-- Thresholds:
--   least_ranks     4        Ranks that use the file.
--   least_requests  1000     Their requests.
--   most_bytes      1048576  Mean bytes of a request.

select path, null as process, count(*) as number, 'requests' as unit, sum(duration_ns) / 1e9 as at_stake_s,
       sum(length) as at_stake_bytes
from data_call
where length is not null and file not in (select file from collective_file)
group by path
having count(distinct process) >= $least_ranks and count(*) >= $least_requests and avg(length) <= $most_bytes
