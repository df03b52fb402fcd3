-- {path} is used by collective calls, and below them POSIX has as many small requests{others}
--
-- The log counts the calls of MPI-IO on the file as collective, but POSIX has about as many requests, as small as
-- before: the ranks' pieces were not put together and moved by a few (collective buffering). Files with data sieving
-- have a rule for themselves, and what the hints in the log enable is not advised.
--
-- Source: Thakur, Gropp and Lusk 1999, on two-phase collective I/O.
-- Family: darshan_job
-- Change: Turn on collective buffering
-- Do: The calls are collective; enable collective buffering for them by hints, and look at the hints that MPI-IO uses (ROMIO_PRINT_HINTS=1). ROMIO's automatic choice leaves it out where the ranks' pieces do not interleave.
-- Check: Record again: POSIX has fewer and larger requests than MPI-IO has calls.
-- Confidence: medium. Calls and requests are counted; which ranks make the requests is not. The time is estimated as that of small requests.
-- With MPI-IO: MPI_Info_set(info, "romio_cb_write", "enable");  MPI_Info_set(info, "romio_cb_read", "enable");  MPI_Info_set(info, "cb_nodes", "8");  /* then MPI_File_open(..., info, &file) */
-- With HDF5: H5Pset_fapl_mpio(fapl, MPI_COMM_WORLD, info);  /* with these hints in info */
-- With PnetCDF: ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER, info, &file);  /* with these hints in info */
--
-- Thresholds:
--   least_percent    50      Of the calls those that are collective, and requests of POSIX in percent of the calls.
--   least_requests   100     Requests of POSIX.
--   most_mean_bytes  524288  Their mean bytes.

select path, job_request.log as process, calls_below as number, 'requests' as unit,
       spent_s * collective_share / (1 + mean_below_bytes / 1048576) as at_stake_s,
       bytes as at_stake_bytes, concat_ws('/', job, file, layer, kind) as time_of, spent_s as time_s,
       format('{:,} of {:,} {}s of MPI-IO are collective, requests of POSIX move {:,} bytes on average; {}', collective_calls, calls,
              kind, try_cast(mean_below_bytes as bigint), if(hints is null, 'no hints are set', 'hints: ' || hints)) as detail
from job_request
join darshan_job using (job)
where layer = 'mpiio' and is_shared and collective_share >= $least_percent / 100
  and calls_below >= greatest($least_requests, $least_percent / 100 * calls)
  and mean_below_bytes <= $most_mean_bytes
  and not contains(coalesce(hints, ''), 'romio_cb_' || kind || '=enable')
  and (job, file) not in (select (job, file) from sieved_file)
