-- Busy and idle periods
--
-- How long disks have requests without a pause, and how long the pauses between are, from the first arrival to the last
-- completion (view timed_disk_request), in bins by powers of two. A request that takes no time is a period of none.
--
-- Source: iotrace; Golding et al. (1995) ask how long disks are idle.
-- Family: disk_io
--
-- Columns:
--   state               string  [name]     busy or idle.
--   maximum_ns          int64   [ns]       The longest period of the bin; the shortest is just above half of it.
--   periods             int64   [periods]  How many.
--   periods_percent     double  [percent]  Their share of those of the state.
--   taken_s             double  [s]        How long they are together, of all disks.
--   taken_percent       double  [percent]  Their share of the time of the state.
--   cumulative_percent  double  [percent]  The share of the periods up to here.
--
-- Shown:
--   state
--   length up to = maximum_ns
--   periods
--   periods %    = periods_percent
--   total        = taken_s
--   total %      = taken_percent
--   cumulative % = cumulative_percent

with counted as (
    select if(busy, 'busy', 'idle') as state, maximum_ns, sum(periods) as periods, sum(disk_period.taken_ns) as period_ns
    from disk_period
    group by state, maximum_ns
)
select state, maximum_ns, periods, percent_of(periods, sum(periods) over own) as periods_percent,
       period_ns / 1e9 as taken_s, coalesce(percent_of(period_ns, sum(period_ns) over own), 0) as taken_percent,
       percent_of(sum(periods) over (own order by maximum_ns), sum(periods) over own) as cumulative_percent
from counted
window own as (partition by state)
order by state, maximum_ns
