-- Requests of unknown direction
--
-- One row: how many requests the trace gives without saying whether they read or write. The reference stream takes
-- them as reads, so that shares of reads and writes say nothing of such a trace.
--
-- Source: iotrace.
-- Merge: sum
--
-- Columns:
--   undirected  int64  [requests]  How many.

select count(*) as undirected
from (select operation from disk_io union all select operation from key_io)
where operation is null
