-- Errors by call
--
-- Which calls fail, and why: look-ups of names that do not exist are I/O too.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   call             string  [name]     The call.
--   error            string  [name]     The error's name.
--   calls            int64   [calls]    How often it failed so.
--   percent_of_call  double  [percent]  Their share of the calls of this name.
--
-- Shown:
--   call
--   error
--   calls
--   % of calls = percent_of_call

with counted as (
    select call, count(*) as made from system_call group by call
),
failed as (
    select call, error, count(*) as calls from system_call where error is not null group by call, error
)
select call, error, calls, percent_of(calls, made) as percent_of_call
from failed
join counted using (call)
order by calls desc, call, error
limit 200
