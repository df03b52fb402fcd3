-- Counters of module STDIO
--
-- One row per record of module STDIO in a log of Darshan, with a column for each of its counters. A record is of a file
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
--   fdopens  int64?  [number]  Darshan's counter STDIO_FDOPENS.
--   reads  int64?  [calls]  Reads.
--   writes  int64?  [calls]  Writes.
--   seeks  int64?  [calls]  Seeks.
--   flushes  int64?  [calls]  Flushes.
--   bytes_written  int64?  [bytes]  What writes moved.
--   bytes_read  int64?  [bytes]  What reads moved.
--   max_byte_read  int64?  [bytes]  The largest offset that was read.
--   max_byte_written  int64?  [bytes]  The largest offset that was written.
--   fastest_rank  int64?  [identifier]  The rank with the least time; of a record of all ranks.
--   fastest_rank_bytes  int64?  [bytes]  The bytes of the rank with the least time.
--   slowest_rank  int64?  [identifier]  The rank with the most time; of a record of all ranks.
--   slowest_rank_bytes  int64?  [bytes]  The bytes of the rank with the most time.
--   f_meta_time  double?  [s]  Time in opens, closes, seeks and the like; over all ranks in a record of all.
--   f_write_time  double?  [s]  Time in writes; over all ranks in a record of all.
--   f_read_time  double?  [s]  Time in reads; over all ranks in a record of all.
--   f_open_start_timestamp  double?  [s]  When the first open began, since the job's start; null if there was none.
--   f_close_start_timestamp  double?  [s]  When the first close began, since the job's start; null if there was none.
--   f_write_start_timestamp  double?  [s]  When the first write began, since the job's start; null if there was none.
--   f_read_start_timestamp  double?  [s]  When the first read began, since the job's start; null if there was none.
--   f_open_end_timestamp  double?  [s]  When the last open ended, since the job's start; null if there was none.
--   f_close_end_timestamp  double?  [s]  When the last close ended, since the job's start; null if there was none.
--   f_write_end_timestamp  double?  [s]  When the last write ended, since the job's start; null if there was none.
--   f_read_end_timestamp  double?  [s]  When the last read ended, since the job's start; null if there was none.
--   f_fastest_rank_time  double?  [s]  The time of the rank with the least.
--   f_slowest_rank_time  double?  [s]  The time of the rank with the most.
--   f_variance_rank_time  double?  [s2]  The variance of the ranks' time.
--   f_variance_rank_bytes  double?  [bytes2]  The variance of the ranks' bytes.

select record, any_value(job) as job, any_value(file) as file, any_value(rank) as rank,
       max(nullif(value, -1)) filter (counter = 'STDIO_OPENS') as "opens",
       max(nullif(value, -1)) filter (counter = 'STDIO_FDOPENS') as "fdopens",
       max(nullif(value, -1)) filter (counter = 'STDIO_READS') as "reads",
       max(nullif(value, -1)) filter (counter = 'STDIO_WRITES') as "writes",
       max(nullif(value, -1)) filter (counter = 'STDIO_SEEKS') as "seeks",
       max(nullif(value, -1)) filter (counter = 'STDIO_FLUSHES') as "flushes",
       max(nullif(value, -1)) filter (counter = 'STDIO_BYTES_WRITTEN') as "bytes_written",
       max(nullif(value, -1)) filter (counter = 'STDIO_BYTES_READ') as "bytes_read",
       max(nullif(value, -1)) filter (counter = 'STDIO_MAX_BYTE_READ') as "max_byte_read",
       max(nullif(value, -1)) filter (counter = 'STDIO_MAX_BYTE_WRITTEN') as "max_byte_written",
       max(nullif(value, -1)) filter (counter = 'STDIO_FASTEST_RANK') as "fastest_rank",
       max(nullif(value, -1)) filter (counter = 'STDIO_FASTEST_RANK_BYTES') as "fastest_rank_bytes",
       max(nullif(value, -1)) filter (counter = 'STDIO_SLOWEST_RANK') as "slowest_rank",
       max(nullif(value, -1)) filter (counter = 'STDIO_SLOWEST_RANK_BYTES') as "slowest_rank_bytes",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'STDIO_F_META_TIME') as "f_meta_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'STDIO_F_WRITE_TIME') as "f_write_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'STDIO_F_READ_TIME') as "f_read_time",
       max(if(seconds > 0, seconds, null)) filter (counter = 'STDIO_F_OPEN_START_TIMESTAMP') as "f_open_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'STDIO_F_CLOSE_START_TIMESTAMP') as "f_close_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'STDIO_F_WRITE_START_TIMESTAMP') as "f_write_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'STDIO_F_READ_START_TIMESTAMP') as "f_read_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'STDIO_F_OPEN_END_TIMESTAMP') as "f_open_end_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'STDIO_F_CLOSE_END_TIMESTAMP') as "f_close_end_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'STDIO_F_WRITE_END_TIMESTAMP') as "f_write_end_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'STDIO_F_READ_END_TIMESTAMP') as "f_read_end_timestamp",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'STDIO_F_FASTEST_RANK_TIME') as "f_fastest_rank_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'STDIO_F_SLOWEST_RANK_TIME') as "f_slowest_rank_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'STDIO_F_VARIANCE_RANK_TIME') as "f_variance_rank_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'STDIO_F_VARIANCE_RANK_BYTES') as "f_variance_rank_bytes"
from darshan_counter
where module = 'STDIO'
group by record
