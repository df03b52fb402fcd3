-- Alignment of requests to disks
--
-- Reads and writes of disks by the largest power of two, up to 1 MB, that divides where they start, and how long they are.
--
-- Source: iotrace.
-- Family: disk_io
-- Merge: by operation, start_blocks, length_blocks
--
-- Columns:
--   operation      string  [name]              read, write or unknown.
--   start_blocks   int64   [512-byte blocks]   What divides the first block; the largest power for block 0.
--   length_blocks  int64   [512-byte blocks]   What divides the length.
--   requests       int64   [requests]          How many.

select operation,
       -- the lowest bit of a number is the largest power of two that divides it
       if(lbn = 0, 2048, least(lbn & -lbn, 2048)) as start_blocks,
       least(blocks & -blocks, 2048) as length_blocks, count(*) as requests
from moved_disk_request
group by all
