-- Static objects and size by type
--
-- What the workload touched, each object counted once: how many inodes, directories, executables and
-- datafiles, and their total size.
--
-- Source: Richardson 1994, figures 3.1 and 3.3, sections 3.1.1 and 3.1.3.
--
-- Columns:
--   type                string   [name]     inode, directory, executable, datafile or disk; only types that occur.
--   objects             int64    [objects]  Distinct objects (figure 3.1).
--   objects_percent     double   [percent]  Their share of all objects.
--   size_bytes          int64    [bytes]    Their total size (figure 3.3).
--   size_percent        double?  [percent]  Its share of the total size.
--   average_size_bytes  double   [bytes]    The average object's size.
--   unknown_sizes       int64    [objects]  Objects whose size is only what the requests show of them.
--
-- Shown:
--   type
--   objects
--   objects %    = objects_percent
--   size         = size_bytes
--   size %       = size_percent
--   average size = average_size_bytes
--   unknown sizes

select type,
       count(*) as objects,
       percent_of(count(*), sum(count(*)) over ()) as objects_percent,
       sum(size_bytes) as size_bytes,
       percent_of(sum(size_bytes), sum(sum(size_bytes)) over ()) as size_percent,
       avg(size_bytes) as average_size_bytes,
       count(*) filter (not size_known) as unknown_sizes
from static_object
group by type
order by type_order(type)
