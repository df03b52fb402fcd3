-- {number} of {path} get most requests
--
-- A small part of the device gets most of the requests: a cache of that size in memory or flash serves them.
--
-- Source: iotrace; the measure (the share of the most used 1 %) is common in studies of block traces.
-- Family: disk_io
-- Do: Give a cache that much memory or flash (bcache, dm-cache, a tier), or move these files to a faster device. iotrace curve TRACE says what each size of cache brings.
-- Check: iotrace curve TRACE --sizes, at the size named here. Behind the cache the hot spots are gone.
-- Confidence: medium. The requests are counted over the whole trace; hot spots may move with time.
--
-- Thresholds:
--   least_extents  100      Different extents of 1 MB that are touched.
--   extent_bytes   1048576  An extent.
--   hot_percent    1        The part of the touched extents that is taken for hot.
--   least_percent  50       The part of the requests that they get.

with extent as (
    select device, lbn * 512 // $extent_bytes as extent, count(*) as requests, sum(latency_ns) as latency_ns,
           512 * sum(blocks) as bytes
    from disk_io
    where operation in ('read', 'write') and lbn is not null and blocks > 0
    group by device, extent
),
ranked as (
    select *, row_number() over (partition by device order by requests desc, extent) as rank,
           count(*) over (partition by device) as extents, sum(requests) over (partition by device) as all_requests
    from extent
)
select disk.path as path, null as process, $extent_bytes * count(*) as number, 'bytes' as unit,
       sum(latency_ns) / 1e9 as at_stake_s, sum(bytes) as at_stake_bytes
from ranked
join file as disk on disk.device = ranked.device and disk.kind = 'device'
where rank <= ceil(extents * $hot_percent / 100)
group by disk.device, disk.path
having any_value(extents) >= $least_extents and sum(requests) >= $least_percent / 100 * any_value(all_requests)
