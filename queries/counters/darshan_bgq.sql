-- Counters of module BG/Q
--
-- One row per record of module BG/Q in a log of Darshan, with a column for each of its counters. A record is of the machine, and of no file
-- and of a rank, or of all ranks. What the record's version does not have, and what was not observed, is null.
--
-- Source: darshan-util.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   record  int64  [identifier]  As in table darshan_record.
--   job  int32  [identifier]  The log.
--   file  int32?  [identifier]  The file.
--   rank  int64  [identifier]  The rank; -1 for all of them together.
--   csjobid  int64?  [number]  Darshan's counter BGQ_CSJOBID.
--   nnodes  int64?  [number]  Darshan's counter BGQ_NNODES.
--   rankspernode  int64?  [number]  Darshan's counter BGQ_RANKSPERNODE.
--   ddrpernode  int64?  [number]  Darshan's counter BGQ_DDRPERNODE.
--   inodes  int64?  [number]  Darshan's counter BGQ_INODES.
--   anodes  int64?  [number]  Darshan's counter BGQ_ANODES.
--   bnodes  int64?  [number]  Darshan's counter BGQ_BNODES.
--   cnodes  int64?  [number]  Darshan's counter BGQ_CNODES.
--   dnodes  int64?  [number]  Darshan's counter BGQ_DNODES.
--   enodes  int64?  [number]  Darshan's counter BGQ_ENODES.
--   torusenabled  int64?  [number]  Darshan's counter BGQ_TORUSENABLED.
--   f_timestamp  double?  [s]  Darshan's time stamp BGQ_F_TIMESTAMP, since the job's start; null if there was none.

select record, any_value(job) as job, any_value(file) as file, any_value(rank) as rank,
       max(nullif(value, -1)) filter (counter = 'BGQ_CSJOBID') as "csjobid",
       max(nullif(value, -1)) filter (counter = 'BGQ_NNODES') as "nnodes",
       max(nullif(value, -1)) filter (counter = 'BGQ_RANKSPERNODE') as "rankspernode",
       max(nullif(value, -1)) filter (counter = 'BGQ_DDRPERNODE') as "ddrpernode",
       max(nullif(value, -1)) filter (counter = 'BGQ_INODES') as "inodes",
       max(nullif(value, -1)) filter (counter = 'BGQ_ANODES') as "anodes",
       max(nullif(value, -1)) filter (counter = 'BGQ_BNODES') as "bnodes",
       max(nullif(value, -1)) filter (counter = 'BGQ_CNODES') as "cnodes",
       max(nullif(value, -1)) filter (counter = 'BGQ_DNODES') as "dnodes",
       max(nullif(value, -1)) filter (counter = 'BGQ_ENODES') as "enodes",
       max(nullif(value, -1)) filter (counter = 'BGQ_TORUSENABLED') as "torusenabled",
       max(if(seconds > 0, seconds, null)) filter (counter = 'BGQ_F_TIMESTAMP') as "f_timestamp"
from darshan_counter
where module = 'BG/Q'
group by record
