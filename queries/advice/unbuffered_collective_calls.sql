-- {path} is used by collective calls, and each rank makes small requests for itself below them{others}
--
-- The log counts the calls of MPI-IO on the file as collective, but all ranks have requests of their own at the lowest layer,
-- as small as before: the pieces of the ranks were not put together and moved by a few (collective buffering).
--
-- Source: Thakur, Gropp and Lusk 1999, on two-phase collective I/O.
-- Family: parallel_io
-- Change: Turn on collective buffering
-- Do: Show the hints that MPI-IO uses (ROMIO: ROMIO_PRINT_HINTS=1), and enable collective buffering for the file: romio_cb_write=enable and romio_cb_read=enable, with cb_nodes for a few ranks of each node. ROMIO's automatic choice leaves it out where the ranks' pieces do not interleave.
-- Check: Record again: few ranks have requests at the lowest layer, and these are large (iotrace characterize by_process, requests_by_size).
-- Confidence: medium. The counters of the log say which calls are collective, and the requests below are counted; the hints in use are not in the trace. Large pieces that do not interleave lose little by it.
--
-- Thresholds:
--   least_ranks     4        Ranks that use the file through MPI-IO.
--   least_percent   90       The part of them that has requests at the lowest layer.
--   least_requests  1000     Their requests there.
--   most_bytes      1048576  Mean bytes of such a request.

with caller as (
    select file, count(distinct process) as ranks
    from parallel_io
    where layer = 'mpiio' and operation in ('read', 'write')
    group by file
)
select path, null as process, count(*) as number, 'requests' as unit, sum(duration_ns) / 1e9 as at_stake_s,
       sum(length) as at_stake_bytes
from data_call
join caller using (file)
where file in (select file from collective_file) and length is not null
group by path
having max(ranks) >= $least_ranks and count(distinct process) >= $least_percent / 100 * max(ranks)
   and count(*) >= $least_requests and avg(length) <= $most_bytes
