-- System calls by name
--
-- Which calls the trace holds, how many failed, and how long they took.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   call                 string   [name]     The call.
--   calls                int64    [calls]    How often it was made.
--   calls_percent        double   [percent]  Its share of all calls.
--   errors               int64    [calls]    How many failed.
--   errors_percent       double   [percent]  Their share of the calls of this name.
--   duration_ns          int64?   [ns]       How long all took together; missing if the trace does not record it.
--   average_duration_ns  double?  [ns]       How long the average call took.
--
-- Shown:
--   call
--   calls
--   calls %  = calls_percent
--   errors
--   errors % = errors_percent
--   total    = duration_ns
--   mean     = average_duration_ns

select call,
       count(*) as calls,
       percent_of(count(*), sum(count(*)) over ()) as calls_percent,
       count(error) as errors,
       percent_of(count(error), count(*)) as errors_percent,
       sum(duration_ns) as duration_ns,
       avg(duration_ns) as average_duration_ns
from system_call
group by call
order by calls desc, call
limit 400
