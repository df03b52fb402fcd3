-- Times between requests
--
-- How long after the one before it each request is issued, over the whole trace, in bins by powers of two.
-- Requests that one system call makes at the same instant follow each other after 0 ns.
--
-- Source: iotrace.
--
-- Columns:
--   maximum_interval_ns  int64   [ns]         The longest interval of the bin; the shortest is just above half of it.
--   intervals            int64   [intervals]  How many.
--   intervals_percent    double  [percent]    Their share of all.
--   cumulative_percent   double  [percent]    The share of the intervals up to here.
--
-- Shown:
--   interval up to = maximum_interval_ns
--   intervals
--   intervals %    = intervals_percent
--   cumulative %   = cumulative_percent

select maximum_interval_ns, intervals,
       percent_of(intervals, sum(intervals) over ()) as intervals_percent,
       percent_of(sum(intervals) over (order by maximum_interval_ns), sum(intervals) over ()) as cumulative_percent
from request_interval
order by maximum_interval_ns
