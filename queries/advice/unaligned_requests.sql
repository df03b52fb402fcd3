-- {number} requests do not begin at a stripe or block, {most} to {path}
--
-- Where ranks share a file, a request that begins within a stripe (or a block of the file system) touches one more of
-- them than it must, and takes the lock that a neighbour needs. The alignment is the one that the log has of the file.
--
-- Source: Drishti (Bez and others 2022), trigger on alignment, of shared files, with time at stake.
-- Family: darshan_job
-- Change: Align the parts of ranks
-- Do: Let each rank's part begin at a multiple of the alignment: pad records and headers, or set the stripe's size to a rank's piece.
-- Check: Record again: POSIX_FILE_NOT_ALIGNED is near 0.
-- Confidence: medium. The time is estimated: that of one block or stripe more for each such request.
-- With Lustre: lfs setstripe -S 4M DIRECTORY  # a stripe as large as a rank's piece
-- With HDF5: H5Pset_alignment(fapl, 1 << 20, stripe_size);
-- With PnetCDF: MPI_Info_set(info, "nc_var_align_size", "1048576");
-- With MPI-IO: MPI_Info_set(info, "striping_unit", "4194304");  /* before the file is created */
--
-- Thresholds:
--   least_percent   10   Of a file's requests those that are not aligned.
--   least_requests  100  Requests that are not aligned.

select path, log as process, round(unaligned_share * calls) as number, 'requests' as unit,
       spent_s * unaligned_share * alignment / (alignment + mean_bytes) as at_stake_s,
       try_cast(bytes * unaligned_share as bigint) as at_stake_bytes, concat_ws('/', job, file, layer, kind) as time_of,
       spent_s as time_s,
       format('of {:,} {}s, {:,} bytes each on average; the alignment is {:,} bytes', calls, kind, try_cast(mean_bytes as bigint), alignment) as detail
from job_request
where is_shared and collective_share < 0.5 and alignment > 1 and mean_bytes >= alignment
  and unaligned_share * 100 >= $least_percent and unaligned_share * calls >= $least_requests
  and (job, file) not in (select (job, file) from reread_by_all)
