-- Times between requests, in bins, within parts of a trace
--
-- As request_interval, of requests in the same part.
--
-- Source: iotrace.
-- Merge: by maximum_interval_ns
--
-- Columns:
--   maximum_interval_ns  int64  [ns]         The longest interval of the bin (power_of_two).
--   intervals            int64  [intervals]  How many.

with instant as (
    select time_ns, count(*) as requests from population_request where time_ns is not null group by time_ns
),
interval_count as (
    select power_of_two(time_ns - lag(time_ns) over (order by time_ns)) as maximum_interval_ns, 1 as intervals
    from instant
    union all
    select 0, requests - 1 from instant where requests > 1
)
select maximum_interval_ns, sum(intervals) as intervals
from interval_count
where maximum_interval_ns is not null
group by maximum_interval_ns
