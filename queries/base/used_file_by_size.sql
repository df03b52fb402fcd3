-- Used files by size class
--
-- How many executables and how many datafiles fall into each size class, and how often they were used. Tables
-- 3.5 and 3.6 are its two halves. Files whose size nothing shows are left out; static_by_type counts them.
--
-- Source: Richardson 1994, tables 3.5 and 3.6, section 3.3.1.
--
-- Columns:
--   type           string   [name]           executable or datafile.
--   position       int64    [position]       The size class's place, from 1.
--   size_class     string   [name]           The size class.
--   maximum_bytes  int64?   [bytes]          The largest size in the class; missing for the last.
--   files          int64    [files]          Distinct files of the class.
--   files_percent  double?  [percent]        Their share of all files of the type.
--   uses           int64    [uses]           How often they were opened or executed.
--   uses_percent   double?  [percent]        Their share of all uses of the type.
--   reuse          double?  [uses per file]  Uses per file.

with counted as (
    select type, size_class_bound(size_bytes) as maximum_bytes, count(*) as files, sum(uses) as uses
    from used_file
    where size_bytes is not null
    group by all
),
complete as (
    select type.type, position, size_class, size_class.maximum_bytes,
           coalesce(files, 0) as files, coalesce(uses, 0) as uses
    from (values ('executable'), ('datafile')) as type(type)
    cross join size_class
    left join counted on counted.type = type.type
                     and counted.maximum_bytes is not distinct from size_class.maximum_bytes
)
select type, position, size_class, maximum_bytes, files,
       percent_of(files, sum(files) over (partition by type)) as files_percent,
       uses,
       percent_of(uses, sum(uses) over (partition by type)) as uses_percent,
       ratio_of(uses, files) as reuse
from complete
