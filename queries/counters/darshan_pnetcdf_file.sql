-- Counters of module PNETCDF_FILE
--
-- One row per record of module PNETCDF_FILE in a log of Darshan, with a column for each of its counters. A record is of a file
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
--   creates  int64?  [number]  Darshan's counter PNETCDF_FILE_CREATES.
--   opens  int64?  [calls]  Opens.
--   redefs  int64?  [number]  Darshan's counter PNETCDF_FILE_REDEFS.
--   indep_waits  int64?  [number]  Darshan's counter PNETCDF_FILE_INDEP_WAITS.
--   coll_waits  int64?  [number]  Darshan's counter PNETCDF_FILE_COLL_WAITS.
--   syncs  int64?  [number]  Darshan's counter PNETCDF_FILE_SYNCS.
--   bytes_read  int64?  [bytes]  What reads moved.
--   bytes_written  int64?  [bytes]  What writes moved.
--   wait_failures  int64?  [number]  Darshan's counter PNETCDF_FILE_WAIT_FAILURES.
--   f_open_start_timestamp  double?  [s]  When the first open began, since the job's start; null if there was none.
--   f_close_start_timestamp  double?  [s]  When the first close began, since the job's start; null if there was none.
--   f_wait_start_timestamp  double?  [s]  When the first wait began, since the job's start; null if there was none.
--   f_open_end_timestamp  double?  [s]  When the last open ended, since the job's start; null if there was none.
--   f_close_end_timestamp  double?  [s]  When the last close ended, since the job's start; null if there was none.
--   f_wait_end_timestamp  double?  [s]  When the last wait ended, since the job's start; null if there was none.
--   f_meta_time  double?  [s]  Time in opens, closes, seeks and the like; over all ranks in a record of all.
--   f_wait_time  double?  [s]  Darshan's counter PNETCDF_FILE_F_WAIT_TIME.

select record, any_value(job) as job, any_value(file) as file, any_value(rank) as rank,
       max(nullif(value, -1)) filter (counter = 'PNETCDF_FILE_CREATES') as "creates",
       max(nullif(value, -1)) filter (counter = 'PNETCDF_FILE_OPENS') as "opens",
       max(nullif(value, -1)) filter (counter = 'PNETCDF_FILE_REDEFS') as "redefs",
       max(nullif(value, -1)) filter (counter = 'PNETCDF_FILE_INDEP_WAITS') as "indep_waits",
       max(nullif(value, -1)) filter (counter = 'PNETCDF_FILE_COLL_WAITS') as "coll_waits",
       max(nullif(value, -1)) filter (counter = 'PNETCDF_FILE_SYNCS') as "syncs",
       max(nullif(value, -1)) filter (counter = 'PNETCDF_FILE_BYTES_READ') as "bytes_read",
       max(nullif(value, -1)) filter (counter = 'PNETCDF_FILE_BYTES_WRITTEN') as "bytes_written",
       max(nullif(value, -1)) filter (counter = 'PNETCDF_FILE_WAIT_FAILURES') as "wait_failures",
       max(if(seconds > 0, seconds, null)) filter (counter = 'PNETCDF_FILE_F_OPEN_START_TIMESTAMP') as "f_open_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'PNETCDF_FILE_F_CLOSE_START_TIMESTAMP') as "f_close_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'PNETCDF_FILE_F_WAIT_START_TIMESTAMP') as "f_wait_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'PNETCDF_FILE_F_OPEN_END_TIMESTAMP') as "f_open_end_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'PNETCDF_FILE_F_CLOSE_END_TIMESTAMP') as "f_close_end_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'PNETCDF_FILE_F_WAIT_END_TIMESTAMP') as "f_wait_end_timestamp",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'PNETCDF_FILE_F_META_TIME') as "f_meta_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'PNETCDF_FILE_F_WAIT_TIME') as "f_wait_time"
from darshan_counter
where module = 'PNETCDF_FILE'
group by record
