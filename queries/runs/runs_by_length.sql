-- Runs and their bytes by length
--
-- How long the sequential runs are, and in which of them the bytes move. A run is a maximal sequence of
-- requests of one use in one direction, each starting where the last ended (parameter runs); each reference
-- to an inode, a directory or a whole executable is a separate run. Lengths fall into bins by powers of two.
--
-- Source: Richardson 1994, figures 3.8 and 3.9, section 3.3.2.
-- Family: syscall, disk_io, parallel_io
-- Materialize: yes
--
-- Columns:
--   type                  string   [name]     inode, directory, executable, datafile or disk.
--   maximum_length_bytes  int64    [bytes]    The longest run of the bin; the shortest is one byte longer than half of it.
--   runs                  int64    [runs]     Runs (figure 3.8).
--   runs_percent          double   [percent]  Their share of all runs of all types.
--   bytes                 int64    [bytes]    Bytes that they move (figure 3.9).
--   bytes_percent         double?  [percent]  Their share of the bytes of all runs.
--
-- Shown:
--   type
--   length up to = maximum_length_bytes
--   runs
--   runs %       = runs_percent
--   bytes
--   bytes %      = bytes_percent

select type, maximum_length_bytes, runs,
       percent_of(runs, sum(runs) over ()) as runs_percent,
       bytes,
       percent_of(bytes, sum(bytes) over ()) as bytes_percent
from run_length
order by type_order(type), maximum_length_bytes
