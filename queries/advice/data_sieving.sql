-- {first} are moved below MPI-IO beyond what was asked for, {path}{others}
--
-- MPI-IO moves blocks of a file to get at pieces of them: to write pieces it reads the block, changes them and writes it
-- back, under a lock; to read pieces it reads what lies between them, too.
--
-- Source: Thakur, Gropp and Lusk 1999, on data sieving.
-- Family: darshan_job
-- Change: Leave no holes between pieces
-- Do: Let pieces adjoin: whole blocks or chunks for each rank, no holes in the file between them. Where the holes remain, collective calls with buffering make fewer of them, and data sieving can be turned off for writes.
-- Check: Record again: POSIX reads and writes no more bytes than MPI-IO.
-- Confidence: medium. The bytes are counted; the share of them that was not asked for is taken as the share of the time of MPI-IO.
-- With MPI-IO: MPI_Info_set(info, "romio_ds_write", "disable");  /* if collective calls leave few holes */
-- With HDF5: H5Pset_alloc_time(dcpl, H5D_ALLOC_TIME_EARLY);  H5Pset_chunk(dcpl, rank, dims);  /* a rank's part as a chunk */
-- With PnetCDF: ncmpi_iput_vara_float(file, variable, start, count, buffer, &request);  ncmpi_wait_all(file, 1, &request, &status);
--
-- Thresholds:
--   least_bytes    1048576  Bytes beyond what was asked for.
--   least_percent  5        They in percent of the bytes that were moved.

select path, log as process, extra_bytes as number, 'bytes' as unit, spent_s * (extra_bytes::double / moved_bytes) as at_stake_s,
       extra_bytes as at_stake_bytes, concat_ws('/', job, file, 'mpiio', kind) as time_of, spent_s as time_s,
       format('{:,} read and {:,} written beyond what the {}s of MPI-IO did, of {:,} that POSIX moved', extra_read, extra_written, kind,
              moved_bytes) as detail
from sieved_file
where extra_bytes >= greatest($least_bytes, $least_percent / 100 * moved_bytes)
