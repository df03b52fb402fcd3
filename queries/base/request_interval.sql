-- Times between requests, in bins
--
-- How long after the one before it each request of the population is issued: see interarrival_times.
--
-- Source: iotrace.
-- Streamed: yes
--
-- Columns:
--   maximum_interval_ns  int64  [ns]         The longest interval of the bin (power_of_two).
--   intervals            int64  [intervals]  How many.

with between as (
    select first_ns - lag(last_ns) over (order by part) as interval_ns from request_times
)
select maximum_interval_ns, sum(intervals) as intervals
from (
    select maximum_interval_ns, intervals from interval_within
    union all
    select power_of_two(interval_ns), 1 from between where interval_ns is not null
)
group by maximum_interval_ns
