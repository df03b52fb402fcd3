-- Requests of the population
--
-- The requests that parameter population chooses: by default what read and write calls move of files and disks.
--
-- Source: iotrace.
--
-- Columns:
--   time_ns  int64?  [ns]     When it was issued; missing in traces without time stamps.
--   file     int32   [identifier]  The file.
--   type     string  [name]   inode, directory, executable, datafile or disk.
--   writes   bool    [truth]  Whether it is a write or an update.
--   offset   int64?  [bytes]  Where in the file it starts; missing if unknown.
--   length   int64?  [bytes]  What moved; missing for a whole read of a file whose size is unknown.

select time_ns, file, type, writes, "offset", length
from request
where in_population(type, unmoved)
