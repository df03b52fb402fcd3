-- {number} small requests, {most} to {path}
--
-- A parallel file system moves megabytes well and kilobytes badly: each request crosses the network and takes a lock.
-- Counted are requests in order, of files that are moved by small ones on average; shared files of MPI-IO have rules for
-- themselves.
--
-- Source: Drishti (Bez and others 2022), triggers on small requests, with time at stake.
-- Family: darshan_job
-- Change: Collect small requests
-- Do: Collect them in memory and move megabytes: larger buffers, or one writer for a node. Of a file that ranks share, let collective calls put the pieces together.
-- Check: Record again: requests are larger.
-- Confidence: medium. How the time divides over requests is not counted: it is taken that each takes as long as moving 1 MiB, besides its bytes.
-- With POSIX: char *block = malloc(4 << 20);  /* fill it, then */  pwrite(fd, block, 4 << 20, offset);
-- With MPI-IO: MPI_File_write_at_all(file, offset, buffer, count, type, MPI_STATUS_IGNORE);
-- With HDF5: H5Pset_chunk(dcpl, rank, dims);  /* chunks of 1 MiB and more */  H5Pset_chunk_cache(dapl, 521, 64 << 20, 0.75);
--
-- Thresholds:
--   most_mean_bytes  524288  Mean bytes of a request.
--   least_requests   100     Small requests in order.

select path, log as process, small_calls - least(small_calls, 2.0 * coalesce(jumping_calls, 0)) as number, 'requests' as unit,
       overhead_s * (small_calls::double - least(small_calls, 2.0 * coalesce(jumping_calls, 0))) / calls as at_stake_s,
       bytes as at_stake_bytes, concat_ws('/', job, file, layer, kind) as time_of, spent_s as time_s,
       format('{:,} {}s, {:,} bytes each on average', calls, kind, try_cast(mean_bytes as bigint)) as detail
from job_request
where (layer = 'posix' or (layer = 'mpiio' and not is_shared)) and mean_bytes <= $most_mean_bytes
  and small_calls - least(small_calls, 2.0 * coalesce(jumping_calls, 0)) >= $least_requests
  and (job, file) not in (select (job, file) from small_file)
  and (job, file) not in (select (job, file) from reread_by_all)
