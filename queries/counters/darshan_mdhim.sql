-- Counters of module MDHIM
--
-- One row per record of module MDHIM in a log of Darshan, with a column for each of its counters. A record is of a file
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
--   puts  int64?  [number]  Darshan's counter MDHIM_PUTS.
--   gets  int64?  [number]  Darshan's counter MDHIM_GETS.
--   put_max_size  int64?  [number]  Darshan's counter MDHIM_PUT_MAX_SIZE.
--   get_max_size  int64?  [number]  Darshan's counter MDHIM_GET_MAX_SIZE.
--   servers  int64?  [number]  Darshan's counter MDHIM_SERVERS.
--   f_put_timestamp  double?  [s]  Darshan's time stamp MDHIM_F_PUT_TIMESTAMP, since the job's start; null if there was none.
--   f_get_timestamp  double?  [s]  Darshan's time stamp MDHIM_F_GET_TIMESTAMP, since the job's start; null if there was none.
--   f_put_max_duration  double?  [s]  Darshan's counter MDHIM_F_PUT_MAX_DURATION.
--   f_get_max_duration  double?  [s]  Darshan's counter MDHIM_F_GET_MAX_DURATION.

select record, any_value(job) as job, any_value(file) as file, any_value(rank) as rank,
       max(nullif(value, -1)) filter (counter = 'MDHIM_PUTS') as "puts",
       max(nullif(value, -1)) filter (counter = 'MDHIM_GETS') as "gets",
       max(nullif(value, -1)) filter (counter = 'MDHIM_PUT_MAX_SIZE') as "put_max_size",
       max(nullif(value, -1)) filter (counter = 'MDHIM_GET_MAX_SIZE') as "get_max_size",
       max(nullif(value, -1)) filter (counter = 'MDHIM_SERVERS') as "servers",
       max(if(seconds > 0, seconds, null)) filter (counter = 'MDHIM_F_PUT_TIMESTAMP') as "f_put_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'MDHIM_F_GET_TIMESTAMP') as "f_get_timestamp",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'MDHIM_F_PUT_MAX_DURATION') as "f_put_max_duration",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'MDHIM_F_GET_MAX_DURATION') as "f_get_max_duration"
from darshan_counter
where module = 'MDHIM'
group by record
