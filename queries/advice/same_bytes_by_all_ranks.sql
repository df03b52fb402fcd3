-- Every rank reads the same bytes of {path}{others}
--
-- Each rank reads the same bytes for itself: an input, or the headers of a file of HDF5 whose data move by
-- collective calls. The servers give them once for every rank.
--
-- Source: iotrace.
-- Family: darshan_job
-- Change: Read once and broadcast
-- Do: Let one rank read and tell the others, or read by a collective call. Let HDF5 read its headers collectively.
-- Check: Record again: the bytes that POSIX reads of the file are about as many as the file has.
-- Confidence: medium. Of a file without headers bytes are counted, and all but one reading of each is at stake; the time of headers is estimated.
-- With MPI-IO: if (rank == 0) MPI_File_read_at(file, 0, buffer, size, MPI_BYTE, MPI_STATUS_IGNORE);  MPI_Bcast(buffer, size, MPI_BYTE, 0, MPI_COMM_WORLD);
-- With HDF5: H5Pset_all_coll_metadata_ops(fapl, true);  H5Pset_coll_metadata_write(fapl, true);
--
-- Thresholds:
--   least_ranks  4  Times that each byte is read.

select job_request.path, job_request.log as process, times_read as number, 'times' as unit, again_s as at_stake_s, bytes as at_stake_bytes,
       concat_ws('/', job, file, layer, 'read') as time_of, spent_s as time_s,
       format('{:,} reads by {:,} ranks, of which {:,} are collective', calls, ranks, collective_calls) as detail
from reread_by_all
join job_request using (job, file, layer)
where job_request.kind = 'read' and times_read >= $least_ranks
