-- {first} of {path} get most of its requests{others}
--
-- A small part of the device gets most of the requests: a cache of that size in memory or flash serves them.
--
-- Source: iotrace; the measure (the share of the most used 1 %) is common in studies of block traces.
-- Family: disk_io
-- Change: Cache the busiest blocks
-- Do: Give a cache that much memory or flash for each device (bcache, dm-cache, a tier), or move these files to a faster device. iotrace curve TRACE says what each size of cache brings.
-- Check: iotrace curve TRACE --sizes, at the size named here. Behind the cache the hot spots are gone.
-- Confidence: medium. The requests are counted over the whole trace; hot spots may move with time. The addresses are those of the range of adjoining hot extents that gets most requests.
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
),
hot as ( -- adjoining extents have the same difference to their place in the order
    select *, extent - row_number() over (partition by device order by extent) as range
    from ranked
    where rank <= ceil(extents * $hot_percent / 100)
),
ranges as (
    select device, min(extent) * ($extent_bytes // 512) as first_lbn, (max(extent) + 1) * ($extent_bytes // 512) - 1 as last_lbn,
           count(*) as extents, sum(requests) as requests, sum(latency_ns) as latency_ns, sum(bytes) as bytes,
           any_value(hot.extents) as all_extents, any_value(all_requests) as all_requests
    from hot
    group by device, range
),
place as (
    select device, sum(extents) as extents, sum(latency_ns) as latency_ns, sum(bytes) as bytes, count(*) as ranges,
           arg_max(first_lbn, (requests, -first_lbn)) as first_lbn, arg_max(last_lbn, (requests, -first_lbn)) as last_lbn,
           max(requests) as requests, any_value(all_requests) as all_requests
    from ranges
    group by device
    having any_value(all_extents) >= $least_extents and sum(requests) >= $least_percent / 100 * any_value(all_requests)
)
select format('{} ({:.3g} % of its requests to LBN {:,} to {:,}', disk_name(disk.path), 100 * requests / all_requests,
              first_lbn, last_lbn) || if(ranges > 1, format('; {:,} more {})', ranges - 1, if(ranges > 2, 'ranges', 'range')), ')') as path,
       null as process, $extent_bytes * extents as number, 'bytes' as unit, latency_ns / 1e9 as at_stake_s,
       bytes as at_stake_bytes
from place
join file as disk on disk.device = place.device and disk.kind = 'device'
