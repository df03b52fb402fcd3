-- What is touched of disks
--
-- One row per disk: how many different bytes its requests touch, where a request of unknown length counts one 512-byte
-- block, and how many start where the one before ended.
--
-- Source: iotrace.
-- Family: disk_io
-- Streamed: yes
-- Materialize: yes
--
-- Columns:
--   file             int32  [identifier]  The disk's file.
--   footprint_bytes  int64  [bytes]       Different bytes touched.
--   requests         int64  [requests]    Requests to it that move data.
--   sequential       int64  [requests]    Those that start where the one before ended, in either direction.

with fresh as (
    select file, end_bytes,
           greatest(start_bytes, coalesce(max(end_bytes) over before, start_bytes)) as start_bytes
    from disk_extent
    window before as (partition by file order by start_bytes, end_bytes
                      rows between unbounded preceding and 1 preceding)
),
touched as (
    select file, sum(greatest(end_bytes - start_bytes, 0)) as footprint_bytes from fresh group by file
),
followed as (
    select file, requests, sequential,
           coalesce(first_bytes = lag(end_bytes) over (partition by file order by part), false) as goes_on
    from disk_sequence
),
sequence as (
    select file, sum(requests) as requests, sum(sequential) + count(*) filter (goes_on) as sequential
    from followed
    group by file
)
select file, coalesce(footprint_bytes, 0) as footprint_bytes, requests, sequential
from sequence
left join touched using (file)
