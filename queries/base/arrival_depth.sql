-- Depth of the queue that requests find
--
-- Requests of view timed_disk_request by how many requests the disk has when they arrive, and how long they take, both in
-- bins: see latency_by_depth.
--
-- Source: iotrace.
-- Streamed: yes
-- Family: disk_io
--
-- Columns:
--   device         int32  [identifier]  The disk.
--   maximum_depth  int64  [requests]    The largest depth of the bin (power_of_two), the request itself included.
--   maximum_ns     int64  [ns]          The longest time of the bin (fine_bin).
--   requests       int64  [requests]    How many.
--   taken_ns       int64  [ns]          How long they took together.

with event as (
    select device, time_ns as at_ns, 1 as turn, seq, if(taken_ns > 0, 1, 0) as change, taken_ns
    from timed_disk_request
    union all
    -- what ends when another arrives has left
    select device, time_ns + taken_ns, 0, seq, -1, null
    from timed_disk_request
    where taken_ns > 0
),
found as (
    select device, taken_ns,
           1 + coalesce(sum(change) over (partition by device order by at_ns, turn, seq
                                          rows between unbounded preceding and 1 preceding), 0)::bigint as depth
    from event
)
select device, power_of_two(depth) as maximum_depth, fine_bin(taken_ns) as maximum_ns, count(*) as requests,
       sum(taken_ns) as taken_ns
from found
where taken_ns is not null
group by all
