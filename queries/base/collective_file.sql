-- Files that MPI-IO reads and writes by collective calls
--
-- One row per file of which the log's counters say that at least 90 % of the reads and writes of MPI-IO were collective. A
-- library such as HDF5 makes a few calls for its headers that are not.
--
-- Source: iotrace.
-- Family: parallel_io
--
-- Columns:
--   file  int32  [identifier]  As in table file.

select file
from mpi_file
where collective_reads + collective_writes > 0
  and collective_reads + collective_writes >= 9 * (other_reads + other_writes)
