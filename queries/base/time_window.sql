-- The width of a window
--
-- One row: the trace divided into windows of equal length, as many as parameter windows (at most 200) says or
-- fewer, the first starting with the trace, the last reaching the end of the last reference. A window is a whole number of steps of the clock, so that no window
-- takes in more stamps than another: in a log to the second none is shorter than a second.
--
-- Source: iotrace.
-- Materialize: yes
--
-- Columns:
--   width_ns  int64?  [ns]       A window's length; missing without time stamps.
--   windows   int64?  [windows]  How many windows reach the end of the last reference.

with reference_end as (
    -- the last nanosecond of each; a sum beyond 64 bits ends with them
    select least(time_ns::hugeint + greatest(coalesce(duration_ns, 0), 1) - 1, 9223372036854775807)::bigint as last_ns
    from reference
    where time_ns is not null
),
span as (
    select max(last_ns) // any_value(resolution_ns) + 1 as steps, any_value(resolution_ns) as resolution_ns
    from reference_end
    cross join clock
),
divided as (
    select steps, resolution_ns, ceil(steps / least(parameter_windows(), 200))::bigint as width_steps from span
)
select width_steps * resolution_ns as width_ns, (steps + width_steps - 1) // width_steps as windows from divided
