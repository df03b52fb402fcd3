-- Requests to disks by how long they took
--
-- Requests to disks, of any operation, with the time that each took: from arrival to completion, or from its dispatch
-- where the trace records no arrival at all. Those of unknown time are left out.
--
-- Source: iotrace.
-- Family: disk_io
--
-- Columns:
--   seq        int64   [position]         As in table disk_io.
--   time_ns    int64   [ns]               When it arrived, or was dispatched.
--   device     int32   [identifier]       The disk.
--   operation  string  [name]             read, write, discard or flush; unknown if the trace does not state it.
--   blocks     int64?  [512-byte blocks]  How many blocks.
--   taken_ns   int64   [ns]               How long it took.

with answered as (
    select seq, time_ns, device, coalesce(operation, 'unknown') as operation, blocks,
           if((select count(latency_ns) from disk_io) > 0, latency_ns, service_ns) as taken_ns
    from disk_io
)
select * from answered where time_ns is not null and taken_ns >= 0
