-- {number} requests that are not aligned to 4 KB, {most} to {path}
--
-- A request that begins within a block of the file system takes the lock of a block that its neighbour needs, too, and
-- a write must read the block first.
--
-- Source: iotrace; Drishti (Bez and others 2022) warns of the same.
-- Family: parallel_io
-- Do: Align what ranks write: pad records, HDF5 H5Pset_alignment, stripe size equal to the piece of a rank (lfs setstripe -S).
-- Check: Record again: no requests are left that are not aligned (iotrace advice --rule misaligned_parallel_requests).
-- Confidence: medium. The stripe size of the file system is not in the trace; 4 KB is the least that any has.
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
