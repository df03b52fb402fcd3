-- {number} requests are not aligned to 4 KB, {most} to {path}; the file system's alignment is not in the trace
--
-- If its blocks are of 4 KB or more, a request that begins within one takes the lock of a block that its neighbour needs, too,
-- and a write must read the block first. A log with Darshan's counters has rules on these
-- instead, by the alignment that they state (unaligned_requests).
--
-- Source: iotrace; Drishti (Bez and others 2022) warns of the same.
-- Family: parallel_io
-- Change: Align requests to the file system
-- Do: Look up the alignment (lfs getstripe, stat -f; darshan-parser LOG shows POSIX_FILE_ALIGNMENT and LUSTRE_STRIPE_SIZE where the log has them). Align what ranks write: pad records, HDF5 H5Pset_alignment, stripe size equal to the piece of a rank (lfs setstripe -S).
-- Check: Record again: no requests are left that are not aligned (iotrace advice --rule misaligned_parallel_requests).
-- Confidence: medium. 4 KB is assumed: the blocks of most file systems are as large or larger. If a counter of the log says that the requests are aligned, there is nothing to do.
--
-- Thresholds:
--   least_requests  100  Such requests to one file.
--   least_percent   10   Their part of the file's requests.

select path, first_of(process) as process, count(*) filter ("offset" % 4096 <> 0) as number, 'requests' as unit,
       sum(duration_ns) filter ("offset" % 4096 <> 0) / 1e9 as at_stake_s,
       sum(length) filter ("offset" % 4096 <> 0) as at_stake_bytes
from data_call
where "offset" is not null
group by path
having count(*) filter ("offset" % 4096 <> 0) >= greatest($least_requests, $least_percent / 100 * count(*))
