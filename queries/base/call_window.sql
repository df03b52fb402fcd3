-- The width of a window of calls
--
-- One row: the trace divided into windows of equal length, as in view time_window, but up to the end of its last call or
-- request to a disk, which may be later than that of its last reference.
--
-- Source: iotrace.
-- Materialize: yes
--
-- Columns:
--   width_ns  int64?  [ns]       A window's length; missing without time stamps.
--   windows   int64?  [windows]  How many windows reach the end of the last call.

with ended as (
    select time_ns, duration_ns from syscall
    union all
    select time_ns, coalesce(latency_ns, service_ns) from disk_io
    union all
    select time_ns, duration_ns from parallel_io
),
span as (
    -- the last nanosecond of each; a sum beyond 64 bits ends with them
    select least(max(time_ns::hugeint + greatest(coalesce(duration_ns, 0), 1) - 1), 9223372036854775807)::bigint
               // any_value(coalesce(resolution_ns, 1)) + 1 as steps,
           any_value(coalesce(resolution_ns, 1)) as resolution_ns
    from ended
    cross join clock
    where time_ns is not null
),
divided as (
    select steps, resolution_ns, ceil(steps / least(parameter_windows(), 200))::bigint as width_steps from span
)
select width_steps * resolution_ns as width_ns, (steps + width_steps - 1) // width_steps as windows from divided
