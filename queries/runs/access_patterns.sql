-- Access patterns of uses
--
-- How programs access a file between opening and closing it: the whole file in one run, a part of it in one
-- run, or several runs, which is called random; for uses that only read, only write, or do both. (A
-- use that reads and writes has at least two runs unless parameter runs is mixed.)
--
-- Source: iotrace; Baker et al. 1991, table 3, divides uses so.
-- Family: syscall
--
-- Columns:
--   access         string   [name]     read, write or read_write: what the use does.
--   pattern        string   [name]     whole_file, sequential or random.
--   uses           int64    [uses]     Uses of datafiles in which something moved.
--   uses_percent   double   [percent]  Their share of all such uses.
--   bytes          int64    [bytes]    What they moved.
--   bytes_percent  double?  [percent]  Its share.
--
-- Shown:
--   access
--   pattern
--   uses
--   uses %  = uses_percent
--   bytes
--   bytes % = bytes_percent

select access, pattern, uses,
       percent_of(uses, sum(uses) over ()) as uses_percent,
       bytes,
       percent_of(bytes, sum(bytes) over ()) as bytes_percent
from use_pattern
order by list_position(['read', 'write', 'read_write'], access),
         list_position(['whole_file', 'sequential', 'random'], pattern)
