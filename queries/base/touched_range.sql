-- Byte ranges touched in each window
--
-- One row per window, file and maximal range of bytes that the window's requests touched: overlapping and
-- adjacent requests are merged. A request whose offset is unknown is taken to start at 0; one of unknown
-- length counts none.
--
-- Source: iotrace; the working set is Denning's (1968).
-- Materialize: yes
--
-- Columns:
--   window       int64  [position]    The window's number, from 0 (parameter windows).
--   file         int32  [identifier]  The file.
--   start_bytes  int64  [bytes]       The range's first byte.
--   end_bytes    int64  [bytes]       The byte after its last.

with piece as (
    select distinct time_ns // width_ns as "window", file,
           coalesce("offset", 0) as start_bytes, coalesce("offset", 0) + length as end_bytes
    from population_request
    cross join time_window
    where length > 0 and time_ns is not null
),
island as (
    select *, coalesce(start_bytes > max(end_bytes) over before, true) as opens
    from piece
    window before as (partition by "window", file order by start_bytes, end_bytes
                      rows between unbounded preceding and 1 preceding)
),
numbered as (
    select *, sum(opens::integer) over (partition by "window", file order by start_bytes, end_bytes
                                            rows between unbounded preceding and current row) as island
    from island
)
select "window", file, min(start_bytes) as start_bytes, max(end_bytes) as end_bytes
from numbered
group by "window", file, island
