-- {number} small files, {most} in {path}
--
-- Each file costs an open, a close and an inode; of a small one these and a single request are all, and no server can
-- read ahead.
--
-- Source: iotrace; Carns and others 2009, on small files in parallel file systems.
-- Family: darshan_job
-- Change: Pack small files into few large ones
-- Do: Put samples, results or tiles into few large files: one for each rank or step, a container with an index.
-- Check: Record again: fewer files are opened.
-- Confidence: medium. The time of opens and closes is counted, that of requests estimated as that of small ones.
-- With HDF5: H5Dcreate2(file, "sample/000123", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);  /* a data set for each */
-- With POSIX: tar cf samples.tar samples/  # or WebDataset, TFRecord, LMDB for training data
-- With MPI-IO: MPI_File_write_ordered(file, buffer, count, type, MPI_STATUS_IGNORE);  /* one file for all */
--
-- Thresholds:
--   least_files  1000  Small files of a job.

with spent as (
    select job, meta_s, coalesce(overhead_s, 0) as overhead_s, read_s + write_s + meta_s as io_s,
           coalesce(bytes_read, 0)::double + coalesce(bytes_written, 0) as moved_bytes, regexp_replace(path, '/[^/]*$', '') as folder
    from small_file
    join job_file using (job, file)
    join (select file, path from file) using (file)
    left join (select job, file, sum(overhead_s) as overhead_s from job_request group by job, file) using (job, file)
), folders as (
    select job, folder, count(*) as files, sum(meta_s + overhead_s) as at_stake_s, sum(moved_bytes) as at_stake_bytes,
           sum(io_s) as io_s
    from spent
    group by job, folder
)
select folder as path, if((select count(*) from darshan_job) > 1, log, null) as process, files as number, 'files' as unit, at_stake_s,
       at_stake_bytes, concat_ws('/', job, 'small', folder) as time_of, io_s as time_s,
       format('{:,} bytes each on average', try_cast(at_stake_bytes / files as bigint)) as detail
from folders
join darshan_job using (job)
where (select count(*) from spent where spent.job = folders.job) >= $least_files
