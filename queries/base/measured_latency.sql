-- Requests to disks with a latency
--
-- One row: how many requests to disks have a time from arrival to completion. Where none has, times count from the
-- dispatch.
--
-- Source: iotrace.
-- Family: disk_io
-- Merge: sum
--
-- Columns:
--   latencies  int64  [requests]  How many.

select count(latency_ns) as latencies from disk_io
