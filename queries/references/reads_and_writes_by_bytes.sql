-- Reads and writes: bytes
--
-- How the bytes of each type divide into reads and writes, inode updates counted as bytes_written; the last
-- row is the total. Where the trace does not state directions (undirected), only the sums are there.
--
-- Source: Richardson 1994, table 3.4, section 3.2.2.
--
-- Columns:
--   type                string   [name]     inode, directory, executable, datafile or disk; or total.
--   bytes               int64    [bytes]    All bytes of the type.
--   bytes_percent       double?  [percent]  Their share of the bytes of all types.
--   bytes_read          int64?   [bytes]    Bytes that reads moved.
--   bytes_written       int64?   [bytes]    Bytes that writes and updates moved.
--   type_read_percent   double?  [percent]  The type's bytes read, as a share of the type.
--   type_write_percent  double?  [percent]  The type's bytes written, as a share of the type.
--   all_read_percent    double?  [percent]  The type's bytes read, as a share of all types.
--   all_write_percent   double?  [percent]  The type's bytes written, as a share of all types.
--
-- Shown:
--   type
--   bytes
--   bytes %           = bytes_percent
--   bytes read
--   bytes written
--   read % of type    = type_read_percent
--   written % of type = type_write_percent
--   read % of all     = all_read_percent
--   written % of all  = all_write_percent

with by_type as (
    select coalesce(type, 'total') as type, grouping(type) as is_total,
           sum(bytes_read) as bytes_read, sum(bytes_updated + bytes_written) as bytes_written
    from static_object
    group by rollup (type)
),
whole as (
    select sum(bytes_read + bytes_written) as bytes from by_type where is_total = 1
)
select type, bytes_read + bytes_written as bytes,
       percent_of(bytes_read + bytes_written, whole.bytes) as bytes_percent,
       if(undirected = 0, by_type.bytes_read, null) as bytes_read,
       if(undirected = 0, by_type.bytes_written, null) as bytes_written,
       if(undirected = 0, percent_of(bytes_read, bytes_read + bytes_written), null) as type_read_percent,
       if(undirected = 0, percent_of(bytes_written, bytes_read + bytes_written), null) as type_write_percent,
       if(undirected = 0, percent_of(bytes_read, whole.bytes), null) as all_read_percent,
       if(undirected = 0, percent_of(bytes_written, whole.bytes), null) as all_write_percent
from by_type
cross join whole
cross join undirected
where bytes_read is not null
order by is_total, type_order(type)
