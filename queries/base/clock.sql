-- The clock of the time stamps
--
-- One row: the coarsest of 1 s, 1 ms and 1 µs of which every time stamp is a whole multiple, else 1 ns. Shorter
-- intervals cannot be measured. A trace of a single instant therefore has a clock of seconds.
--
-- Source: iotrace.
-- Materialize: yes
--
-- Columns:
--   resolution_ns  int64?  [ns]  From one possible stamp to the next; missing without time stamps.

with stamp as (
    select time_ns from reference where time_ns is not null
    union all
    select time_ns from syscall where time_ns is not null
    union all
    select time_ns from disk_io where time_ns is not null
)
select case when count(*) = 0 then null
            when bool_and(time_ns % 1000000000 = 0) then 1000000000
            when bool_and(time_ns % 1000000 = 0) then 1000000
            when bool_and(time_ns % 1000 = 0) then 1000
            else 1 end as resolution_ns
from stamp
