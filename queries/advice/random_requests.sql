-- {number} small requests jump back, {most} in {path}
--
-- A rank that jumps back in a file defeats what the servers read ahead and gather, and makes disks seek. Of requests in
-- no order about half begin before the end of the one before, so that twice
-- as many are at stake; the first ones of ranks are left out.
--
-- Source: Drishti (Bez and others 2022), triggers on random access, with time at stake.
-- Family: darshan_job
-- Change: Sort requests by offset
-- Do: Sort a rank's requests by offset before they are made, or hand many to one collective call, which sorts them over all ranks. Read a file that fits in memory whole, once, in order.
-- Check: Record again: fewer requests begin before the end of the one before (POSIX_SEQ_READS, POSIX_SEQ_WRITES are nearer to all).
-- Confidence: medium. The time is estimated as that of small requests; how much of it an order saves depends on the servers' disks and caches.
-- With POSIX: posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);  /* where the order cannot be changed */
-- With MPI-IO: MPI_File_set_view(file, 0, type, indexed, "native", info);  MPI_File_read_all(file, buffer, count, type, MPI_STATUS_IGNORE);
-- With HDF5: H5Sselect_hyperslab(space, H5S_SELECT_OR, start, stride, count, block);  /* one H5Dread of all pieces */
--
-- Thresholds:
--   most_mean_bytes  524288  Mean bytes of a request.
--   least_percent    20      Of the requests those that jump back.
--   least_requests   100     Requests that jump back.

select path, log as process, jumping_calls as number, 'requests' as unit,
       overhead_s * least(1, 2.0 * jumping_calls / calls) as at_stake_s,
       try_cast(least(bytes, bytes::double * 2 * jumping_calls / calls) as bigint) as at_stake_bytes,
       concat_ws('/', job, file, layer, kind) as time_of, spent_s as time_s,
       format('of {:,} {}s, {:,} bytes each on average', calls, kind, try_cast(mean_bytes as bigint)) as detail
from job_request
where layer = 'posix' and mean_bytes <= $most_mean_bytes
  and jumping_calls >= greatest($least_requests, $least_percent / 100 * calls)
  and (job, file) not in (select (job, file) from small_file)
  and (job, file) not in (select (job, file) from reread_by_all)
