-- Files of which each rank reads the same
--
-- One row per job and file that many ranks read without collective calls, and of which the counters show that they read the
-- same bytes: they read the file many times over, or it is of HDF5, its data move by collective calls, and each rank has small
-- independent reads besides, which are of the library's headers.
--
-- Source: iotrace.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   job         int32   [identifier]  The log.
--   file        int32   [identifier]  The file.
--   layer       string  [name]        mpiio or posix.
--   times_read  double  [ratio]       How many times each byte is read.
--   again_s     double  [s]           The time of the reads without one of each byte.

with named as (
    select distinct job, file from darshan_record where module = 'H5F'
), data as (
    select job, file from job_request group by job, file having sum(collective_calls) > 0
), shared as (
    select job, file, layer, ranks, calls, small_calls, collective_calls, collective_share, spent_s, mean_bytes,
           ratio_of(bytes, span_bytes) as times_read
    from job_request
    where kind = 'read' and layer <> 'stdio' and ranks >= 4 and is_shared
), judged as (
    select *, coalesce(times_read >= greatest(4, ranks / 2) and collective_share < 0.5, false) as is_whole from shared
)
select job, file, layer, times_read, spent_s * (1 - collective_share) * (1 - 1 / times_read) as again_s
from judged
where is_whole
union all
select job, file, layer, ranks, spent_s * (small_calls / calls) / (1 + mean_bytes / 1048576) * (1 - 1 / ranks)
from judged
join named using (job, file)
join data using (job, file)
where not is_whole and layer = 'mpiio' and small_calls / ranks >= 4 and calls - collective_calls >= small_calls
