-- Size classes
--
-- The classes of tables 3.5 and 3.6: a file belongs to the first class whose bound is not below its size. (No
-- 128k class is printed; 256k is everything above 64 Kbytes up to 256.)
--
-- Source: Richardson 1994, tables 3.5 and 3.6, section 3.3.1.
--
-- Columns:
--   position       int64   [position]  The class's place, from 1.
--   size_class     string  [name]      The class by the name that the tables print.
--   maximum_bytes  int64?  [bytes]     The largest size in the class; missing for the last, which has no bound.

select position, size_class, maximum_bytes
from (values (1, '1k', 1024), (2, '4k', 4096), (3, '8k', 8192), (4, '16k', 16384), (5, '32k', 32768),
             (6, '64k', 65536), (7, '256k', 262144), (8, '512k', 524288), (9, '1M', 1048576),
             (10, '4M', 4194304), (11, '>4M', null)) as class(position, size_class, maximum_bytes)
