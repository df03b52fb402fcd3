-- Busy and idle periods of disks, in bins
--
-- The times during which a disk has requests of view timed_disk_request, and those between them: see
-- busy_and_idle_periods.
--
-- Source: iotrace.
-- Streamed: yes
-- Family: disk_io
--
-- Columns:
--   device      int32  [identifier]  The disk.
--   busy        bool   [truth]       Whether it has requests.
--   maximum_ns  int64  [ns]          The longest period of the bin (power_of_two).
--   periods     int64  [periods]     How many.
--   taken_ns    int64  [ns]          How long they are together.

with ordered as (
    select device, time_ns, time_ns + taken_ns as end_ns, seq,
           max(time_ns + taken_ns) over (partition by device order by time_ns, seq
                                         rows between unbounded preceding and 1 preceding) as reached_ns
    from timed_disk_request
),
numbered as (
    select *, sum((reached_ns is null or time_ns > reached_ns)::integer)
                  over (partition by device order by time_ns, seq rows unbounded preceding) as number
    from ordered
),
period as (
    select device, true as busy, max(end_ns) - min(time_ns) as taken_ns from numbered group by device, number
    union all
    select device, false, time_ns - reached_ns from ordered where time_ns > reached_ns
)
select device, busy, power_of_two(period.taken_ns) as maximum_ns, count(*) as periods, sum(period.taken_ns) as taken_ns
from period
group by device, busy, power_of_two(period.taken_ns)
