-- Extents that are touched of disks
--
-- What the requests to each disk touch: extents that neither overlap nor adjoin. A request of unknown length counts one
-- 512-byte block.
--
-- Source: iotrace.
-- Family: disk_io
-- Merge: by part, file, start_bytes, end_bytes
--
-- Columns:
--   part         int32  [position]    The part of the trace, of several that are counted apart; 0.
--   file         int32  [identifier]  The disk's file.
--   start_bytes  int64  [bytes]       Where the extent starts.
--   end_bytes    int64  [bytes]       Where it ends.

with piece as (
    select distinct file, "offset" as start_bytes, "offset" + coalesce(length, 512) as end_bytes
    from request
    where type = 'disk' and "offset" is not null
),
island as (
    select *, coalesce(start_bytes > max(end_bytes) over before, true) as opens
    from piece
    window before as (partition by file order by start_bytes, end_bytes
                      rows between unbounded preceding and 1 preceding)
),
numbered as (
    select *, sum(opens::integer) over (partition by file order by start_bytes, end_bytes
                                        rows between unbounded preceding and current row) as island
    from island
)
select 0 as part, file, min(start_bytes) as start_bytes, max(end_bytes) as end_bytes
from numbered
group by file, island
