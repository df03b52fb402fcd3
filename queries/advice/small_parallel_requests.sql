-- {number} small requests, {most} to {path}
--
-- A parallel file system moves megabytes well and kilobytes badly: each request crosses the network and takes a lock. Files
-- that the log's counters show to be used by collective calls are left out.
--
-- Source: iotrace; Drishti (Bez and others 2022) warns of the same.
-- Family: parallel_io
-- Change: Collect small requests
-- Do: Collect them: larger buffers, collective calls (MPI_File_write_all with collective buffering), chunked HDF5 with a chunk cache, one writer for each node.
-- Check: Record again: requests are larger (iotrace characterize requests_by_size).
-- Confidence: high. The time is that of the calls, added up over ranks.
--
-- Thresholds:
--   least_requests  1000    Small requests to one file.
--   most_bytes      65536  Bytes of a small one.
--   least_percent   50      Their part of the file's requests.

select path, first_of(process) as process, count(*) filter (length < $most_bytes) as number, 'requests' as unit,
       sum(duration_ns) filter (length < $most_bytes) / 1e9 as at_stake_s,
       sum(length) filter (length < $most_bytes) as at_stake_bytes
from data_call
where file not in (select file from collective_file)
group by path
having count(*) filter (length < $most_bytes) >= greatest($least_requests, $least_percent / 100 * count(*))
