-- Files that are read, written, or both
--
-- Each object by what the whole trace does to it: it is only read, only written, or read and written. An
-- inode update does not make an object written, since it only records that the file was read.
--
-- Source: Richardson 1994, figures 3.6 and 3.7, section 3.2.3.
--
-- Columns:
--   type                     string   [name]     inode, directory, executable, datafile or disk.
--   class                    string   [name]     read (only), write (only) or read_write.
--   objects                  int64    [objects]  Objects of the class (figure 3.6).
--   objects_percent          double   [percent]  Their share of all objects.
--   objects_percent_of_type  double   [percent]  Their share of the type's objects.
--   size_bytes               int64    [bytes]    Their total size (figure 3.7).
--   size_percent             double?  [percent]  Its share of the total size.
--   size_percent_of_type     double?  [percent]  Its share of the type's size.
--
-- Shown:
--   type
--   class
--   objects
--   objects %         = objects_percent
--   objects % of type = objects_percent_of_type
--   size              = size_bytes
--   size %            = size_percent
--   size % of type    = size_percent_of_type

with classed as (
    select type, size_bytes,
           case when writes = 0 then 'read' when reads = 0 then 'write' else 'read_write' end as class
    from static_object
),
counted as (
    select type, class, count(*) as objects, sum(size_bytes) as size_bytes
    from classed
    group by type, class
)
select type, class, objects,
       percent_of(objects, sum(objects) over ()) as objects_percent,
       percent_of(objects, sum(objects) over (partition by type)) as objects_percent_of_type,
       size_bytes,
       percent_of(size_bytes, sum(size_bytes) over ()) as size_percent,
       percent_of(size_bytes, sum(size_bytes) over (partition by type)) as size_percent_of_type
from counted
order by type_order(type), list_position(['read', 'write', 'read_write'], class)
