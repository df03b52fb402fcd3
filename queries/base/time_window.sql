-- The width of a window
--
-- One row: the trace divided into parameter windows (at most 200) windows of equal length, the first starting
-- with the trace.
--
-- Source: iotrace.
--
-- Columns:
--   width_ns  int64?  [ns]       A window's length; missing without time stamps.
--   windows   int64?  [windows]  How many windows reach the last reference.

with span as (
    select max(time_ns) + 1 as length_ns from reference
),
divided as (
    select length_ns, ceil(length_ns / least(parameter_windows(), 200))::bigint as width_ns from span
)
select width_ns, (length_ns + width_ns - 1) // width_ns as windows from divided
