-- {number} calls of stdio move data, {most} of {path}
--
-- Streams (fread, fwrite, fprintf) move what they buffer in pieces of some 4 KB, each rank for itself, and cannot be
-- collective. For logs and settings they are right; for data they are slow.
--
-- Source: Drishti (Bez and others 2022), trigger S01, with time at stake.
-- Family: darshan_job
-- Change: Move data by MPI-IO, not stdio
-- Do: Move data by MPI-IO, HDF5 or PnetCDF, or by large reads and writes; where streams must stay, give them a large buffer.
-- Check: Record again: STDIO moves few of the bytes.
-- Confidence: medium. The time is that of the streams' reads and writes; what is saved is estimated as that of small requests.
-- With POSIX: setvbuf(stream, NULL, _IOFBF, 4 << 20);  /* right after fopen */
-- With MPI-IO: MPI_File_write_at_all(file, offset, buffer, count, type, MPI_STATUS_IGNORE);
-- With HDF5: H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, dxpl, buffer);
--
-- Thresholds:
--   least_bytes  1048576  Bytes of a file.

select path, log as process, calls as number, 'calls' as unit, overhead_s as at_stake_s, bytes as at_stake_bytes,
       concat_ws('/', job, file, layer, kind) as time_of, spent_s as time_s,
       format('{:,} {}s, {:,} bytes each on average', calls, kind, try_cast(mean_bytes as bigint)) as detail
from job_request
where layer = 'stdio' and bytes >= $least_bytes and path not in ('<STDIN>', '<STDOUT>', '<STDERR>')
