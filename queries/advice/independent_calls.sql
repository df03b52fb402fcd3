-- {number} small calls of MPI-IO are not collective, {most} on {path}
--
-- Many ranks read or write one file in small pieces, each for itself. Collective calls put the pieces together, and a
-- few ranks move them. Files whose calls are collective are left out.
--
-- Source: Thakur, Gropp and Lusk 1999, on collective I/O; Drishti (Bez and others 2022), trigger M02 and M03, with time at stake.
-- Family: darshan_job
-- Change: Use collective calls
-- Do: Use the collective calls, with collective buffering on.
-- Check: Record again: MPIIO_COLL_WRITES or MPIIO_COLL_READS count the calls, and POSIX has fewer and larger requests.
-- Confidence: high. The log counts which calls are collective. The time is estimated as that of small requests.
-- With MPI-IO: MPI_File_write_at_all(file, offset, buffer, count, type, MPI_STATUS_IGNORE);  MPI_Info_set(info, "romio_cb_write", "enable");
-- With HDF5: H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE);  H5Dwrite(dataset, type, memory, space, dxpl, buffer);
-- With PnetCDF: ncmpi_put_vara_float_all(file, variable, start, count, buffer);  /* not between ncmpi_begin_indep_data and ncmpi_end_indep_data */
--
-- Thresholds:
--   least_ranks     4    Ranks that use the file.
--   least_percent   10   Of the calls small ones that are not collective.
--   least_requests  100  Such calls.

select path, log as process, least(small_calls, calls - collective_calls) as number, 'calls' as unit,
       overhead_s * least(small_calls, calls - collective_calls)::double / calls as at_stake_s, bytes as at_stake_bytes,
       concat_ws('/', job, file, layer, kind) as time_of, spent_s as time_s,
       format('of {:,} {}s, of which {:,} are collective, {:,} bytes each on average', calls, kind, collective_calls, try_cast(mean_bytes as bigint)) as detail
from job_request
where layer = 'mpiio' and is_shared and ranks >= $least_ranks
  and least(small_calls, calls - collective_calls) >= greatest($least_requests, $least_percent / 100 * calls)
  and (job, file) not in (select (job, file) from reread_by_all)
