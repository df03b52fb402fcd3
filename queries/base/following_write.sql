-- Writes that follow the write before
--
-- Writes of disks by their size, and whether they start where the write before to the same disk ended. Requests that name
-- no block or have no length are left out.
--
-- Source: iotrace.
-- Streamed: yes
-- Family: disk_io
--
-- Columns:
--   device      int32   [identifier]       The disk.
--   blocks      int64   [512-byte blocks]  How many blocks each of them writes.
--   follows     bool    [truth]            Whether they start where the write before ended.
--   writes      int64   [requests]         How many writes.
--   latency_ns  int64?  [ns]               How long they took; missing if none has a latency.

with written as (
    select device, blocks, latency_ns,
           coalesce(lbn = lag(lbn + blocks) over (partition by device order by seq), false) as follows
    from disk_io
    where operation = 'write' and lbn is not null and blocks > 0
)
select device, blocks, follows, count(*) as writes, sum(latency_ns) as latency_ns
from written
group by device, blocks, follows
