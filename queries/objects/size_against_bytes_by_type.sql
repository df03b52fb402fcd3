-- Static size against use by type
--
-- Each type's share of the static size, of the requests, and of the bytes moved: a type whose share of the
-- requests is far above its share of the size is worth keeping in a cache. (The figure survives only as a
-- caption; these are the shares that its section compares.)
--
-- Source: Richardson 1994, figure 3.5, section 3.1.7.
-- Family: syscall
--
-- Columns:
--   type                   string   [name]     inode, directory, executable, datafile or disk.
--   size_percent           double?  [percent]  Its share of the static size.
--   requests_percent       double   [percent]  Its share of the requests.
--   bytes_percent          double?  [percent]  Its share of the bytes moved.
--   requests_against_size  double?  [ratio]    Share of requests over share of size.
--   bytes_against_size     double?  [ratio]    Share of bytes over share of size.
--
-- Shown:
--   type
--   size %              = size_percent
--   requests %          = requests_percent
--   bytes %             = bytes_percent
--   requests % / size % = requests_against_size
--   bytes % / size %    = bytes_against_size

select type, size_percent, requests_percent, bytes_percent,
       ratio_of(requests_percent, size_percent) as requests_against_size,
       ratio_of(bytes_percent, size_percent) as bytes_against_size
from static_by_type
join references_by_type using (type)
order by type_order(type)
