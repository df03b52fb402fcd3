-- What is touched of disks
--
-- One row per disk: how many different bytes its requests touch, where a request of unknown length counts one 512-byte
-- block, and how many start where the one before ended.
--
-- Source: iotrace.
-- Family: disk_io
-- Streamed: yes
--
-- Columns:
--   file             int32  [identifier]  The disk's file.
--   footprint_bytes  int64  [bytes]       Different bytes touched.
--   requests         int64  [requests]    Requests to it that move data.
--   sequential       int64  [requests]    Those that start where the one before ended, in either direction.

with piece as (
    select file, "offset" as start_bytes, "offset" + coalesce(length, 512) as end_bytes
    from request
    where type = 'disk' and "offset" is not null
),
fresh as (
    select file, end_bytes,
           greatest(start_bytes, coalesce(max(end_bytes) over before, start_bytes)) as start_bytes
    from piece
    window before as (partition by file order by start_bytes, end_bytes
                      rows between unbounded preceding and 1 preceding)
),
touched as (
    select file, sum(greatest(end_bytes - start_bytes, 0)) as footprint_bytes from fresh group by file
),
followed as (
    select file,
           coalesce("offset" = lag("offset" + length) over (partition by file order by seq), false) as sequential
    from request
    where type = 'disk'
),
sequence as (
    select file, count(*) as requests, count(*) filter (sequential) as sequential from followed group by file
)
select file, coalesce(footprint_bytes, 0) as footprint_bytes, requests, sequential
from sequence
left join touched using (file)
