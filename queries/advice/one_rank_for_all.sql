-- {path} moves {first}, nearly all of the job's data{others}
--
-- One rank reads or writes for all, and the others wait: one node's network and one stream to the file system are all
-- that the job uses.
--
-- Source: iotrace.
-- Family: darshan_job
-- Change: Let all ranks do I/O
-- Do: Let all ranks read and write their own parts of one file, by collective calls; MPI-IO chooses the ranks that move the data.
-- Check: Record again: the bytes are spread over more ranks.
-- Confidence: medium. Bytes and time are counted; that the others wait is taken.
-- With MPI-IO: MPI_File_open(MPI_COMM_WORLD, path, mode, info, &file);  MPI_File_write_at_all(file, rank * size, buffer, count, type, MPI_STATUS_IGNORE);
-- With HDF5: H5Pset_fapl_mpio(fapl, MPI_COMM_WORLD, info);  H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE);
-- With PnetCDF: ncmpi_create(MPI_COMM_WORLD, path, NC_64BIT_DATA, info, &file);  ncmpi_put_vara_float_all(file, variable, start, count, buffer);
--
-- Thresholds:
--   least_ranks  4         Ranks of the job.
--   least_bytes  16777216  Bytes that the rank moves: fewer are not worth to be spread.

select 'rank ' || rank as path, if((select count(*) from darshan_job) > 1, log, null) as process, moved_bytes as number, 'bytes' as unit,
       spent_s * (ranks - 1) as at_stake_s, moved_bytes as at_stake_bytes, concat_ws('/', job, 'waiting') as time_of,
       greatest(0, available_s - io_s) as time_s,
       format('in {:.3g} s, while {:,} ranks wait', spent_s, ranks - 1) as detail
from moved_by_one
join darshan_job using (job)
join job_io using (job)
where ranks >= $least_ranks and moved_bytes >= $least_bytes
