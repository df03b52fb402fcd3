-- Datafiles by size class
--
-- How large the datafiles are and how often each size is opened: files, uses (openings) and uses per file.
--
-- Source: Richardson 1994, table 3.6, section 3.3.1.
-- Family: syscall
--
-- Columns:
--   size_class     string   [name]           The class by the name that the table prints.
--   maximum_bytes  int64?   [bytes]          The largest size in the class; missing for the last, which has no bound.
--   files          int64    [files]          Distinct datafiles of the class.
--   files_percent  double?  [percent]        Their share of all datafiles.
--   uses           int64    [uses]           How often they were opened.
--   uses_percent   double?  [percent]        Their share of all uses of datafiles.
--   reuse          double?  [uses per file]  Uses per file.
--
-- Shown:
--   size class
--   size up to    = maximum_bytes
--   files
--   files %       = files_percent
--   uses
--   uses %        = uses_percent
--   uses per file = reuse

select size_class, maximum_bytes, files, files_percent, uses, uses_percent, reuse
from used_file_by_size
where type = 'datafile'
order by position
