-- Time by system call
--
-- The calls that took longest, all of a name and class together (parameter top): storage first, then
-- waiting and others. Times of processes that ran at once are added up. Only calls whose time the trace records;
-- iotrace time lists all.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   call     string   [name]   The system call's name.
--   calls    int64    [calls]  How many calls.
--   timed    int64    [calls]  How many of them have a time.
--   total_s  double   [s]      How long they took together.
--   mean_us  double   [us]     The mean.
--   p50_us   double   [us]     Half of them took at most this.
--   p95_us   double   [us]     95 % took at most this.
--   p99_us   double   [us]     99 % took at most this.
--   max_us   double   [us]     The longest.
--   class    string   [name]   storage, waiting, other or unknown: what the time is spent on (view timed_call).
--   net_s    double?  [s]      How much of total_s is not the tracer's (view timed_call); missing where that is not known.
--
-- Shown:
--   call
--   calls
--   timed
--   total   = total_s
--   net     = net_s
--   mean    = mean_us
--   median  = p50_us
--   p95     = p95_us
--   p99     = p99_us
--   longest = max_us
--   class

select name as call, calls, timed, total_s, mean_us, p50_us, p95_us, p99_us, max_us, class, net_s
from call_times
where "by" = 'call' and timed > 0
order by class_order(class), coalesce(net_s, total_s) desc, calls desc, name
limit least(parameter_top(), 200)
