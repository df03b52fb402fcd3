-- Counters of module H5F
--
-- One row per record of module H5F in a log of Darshan, with a column for each of its counters. A record is of a file
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
--   opens  int64?  [calls]  Opens.
--   flushes  int64?  [calls]  Flushes.
--   use_mpiio  int64?  [number]  Darshan's counter H5F_USE_MPIIO.
--   f_open_start_timestamp  double?  [s]  When the first open began, since the job's start; null if there was none.
--   f_close_start_timestamp  double?  [s]  When the first close began, since the job's start; null if there was none.
--   f_open_end_timestamp  double?  [s]  When the last open ended, since the job's start; null if there was none.
--   f_close_end_timestamp  double?  [s]  When the last close ended, since the job's start; null if there was none.
--   f_meta_time  double?  [s]  Time in opens, closes, seeks and the like; over all ranks in a record of all.

select record, any_value(job) as job, any_value(file) as file, any_value(rank) as rank,
       max(nullif(value, -1)) filter (counter = 'H5F_OPENS') as "opens",
       max(nullif(value, -1)) filter (counter = 'H5F_FLUSHES') as "flushes",
       max(nullif(value, -1)) filter (counter = 'H5F_USE_MPIIO') as "use_mpiio",
       max(if(seconds > 0, seconds, null)) filter (counter = 'H5F_F_OPEN_START_TIMESTAMP') as "f_open_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'H5F_F_CLOSE_START_TIMESTAMP') as "f_close_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'H5F_F_OPEN_END_TIMESTAMP') as "f_open_end_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'H5F_F_CLOSE_END_TIMESTAMP') as "f_close_end_timestamp",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'H5F_F_META_TIME') as "f_meta_time"
from darshan_counter
where module = 'H5F'
group by record
