-- Requests by size
--
-- How large the requests for datafiles and executables are, by what they moved and by what was asked for, in
-- bins by powers of two. An executable that is run, and a library when it is mapped, is one request for the whole
-- file; the loader's reads of libraries' headers are separate, small requests.
--
-- Source: Richardson 1994, figure 3.10, section 3.3.2.
-- Materialize: yes
--
-- Columns:
--   type                string   [name]      executable, datafile or disk.
--   maximum_size_bytes  int64    [bytes]     The largest request of the bin; the smallest is one byte larger than half of it.
--   moved               int64    [requests]  Requests by the bytes that they moved.
--   moved_percent       double?  [percent]   Their share of the type's requests of known length.
--   asked               int64    [requests]  Requests by the bytes that they asked for.
--   asked_percent       double?  [percent]   Their share of the type's requests.
--
-- Shown:
--   type
--   size up to           = maximum_size_bytes
--   by bytes moved       = moved
--   by bytes moved %     = moved_percent
--   by bytes asked for   = asked
--   by bytes asked for % = asked_percent

select type, maximum_size_bytes, moved,
       percent_of(moved, sum(moved) over (partition by type)) as moved_percent,
       asked,
       percent_of(asked, sum(asked) over (partition by type)) as asked_percent
from request_size
order by type_order(type), maximum_size_bytes
