-- Used files
--
-- One row per file and way of using it, with how often it was opened or executed: a use is one opening,
-- whether or not anything was then read or written.
--
-- Source: Richardson 1994, section 3.3.1.
-- Materialize: yes
--
-- Columns:
--   file        int32   [identifier]  The file.
--   type        string  [name]        directory, executable or datafile: how it was used.
--   size_bytes  int64?  [bytes]       Its static size (parameter file_size); missing if nothing shows it.
--   uses        int64   [uses]        How often it was opened or executed.

with used as (
    select file, type, count(*) as uses from use group by file, type
)
select used.file, used.type,
       coalesce(
           static_object.size_bytes,
           case parameter_file_size()
               when 'first' then size_first_bytes
               when 'last' then size_last_bytes
               else size_largest_bytes
           end
       ) as size_bytes,
       uses
from used
left join file on file.file = used.file
left join static_object on static_object.file = used.file and static_object.type = used.type
