-- Reuse and byte reuse by type
--
-- How often the average object is requested, and how often its bytes move: requests per object and bytes
-- moved per byte of static size. For objects that are requested whole, the inverse of reuse is the miss ratio
-- of an infinite cache; requests for datafiles are for pieces, so that theirs holds both reuse and sequential
-- access.
--
-- Source: Richardson 1994, tables 3.1 and 3.2, sections 3.1.5 and 3.1.6.
--
-- Columns:
--   type                         string   [name]                 inode, directory, executable, datafile or disk.
--   reuse                        double   [requests per object]  Requests per object (table 3.1).
--   byte_reuse                   double?  [bytes per byte]       Bytes moved per byte of static size (table 3.2).
--   infinite_cache_miss_percent  double?  [percent]              100 over reuse: what an infinite cache misses that keeps each object whole and for ever; missing for disks, which none does. One of blocks misses more.
--
-- Shown:
--   type
--   requests per object         = reuse
--   bytes moved per byte        = byte_reuse
--   misses of an infinite cache = infinite_cache_miss_percent

select type,
       ratio_of(sum(requests), count(*)) as reuse,
       ratio_of(sum(bytes), sum(size_bytes)) as byte_reuse,
       case when type <> 'disk' then percent_of(count(*), sum(requests)) end as infinite_cache_miss_percent
from static_object
group by type
order by type_order(type)
