-- The start of the trace
--
-- One row: when the trace starts by the clock of the machine that was traced. Times in ns of all tables count from there.
--
-- Source: iotrace.
--
-- Columns:
--   started_at  timestamp? [UTC]  When the first event was, to the microsecond; null if the trace has no wall-clock time.
--   started_ns  int64?     [ns]   The same, since 1970-01-01 00:00 UTC.

select wall_clock(0) as started_at, trace_started_ns() as started_ns
