-- Counters of module POSIX
--
-- One row per record of module POSIX in a log of Darshan, with a column for each of its counters. A record is of a file
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
--   filenos  int64?  [number]  Darshan's counter POSIX_FILENOS.
--   dups  int64?  [number]  Darshan's counter POSIX_DUPS.
--   reads  int64?  [calls]  Reads.
--   writes  int64?  [calls]  Writes.
--   seeks  int64?  [calls]  Seeks.
--   stats  int64?  [calls]  Calls of stat.
--   mmaps  int64?  [calls]  Mappings.
--   fsyncs  int64?  [calls]  Calls of fsync.
--   fdsyncs  int64?  [calls]  Calls of fdatasync.
--   rename_sources  int64?  [number]  Darshan's counter POSIX_RENAME_SOURCES.
--   rename_targets  int64?  [number]  Darshan's counter POSIX_RENAME_TARGETS.
--   renamed_from  int64?  [number]  Darshan's counter POSIX_RENAMED_FROM.
--   mode  int64?  [number]  Darshan's counter POSIX_MODE.
--   bytes_read  int64?  [bytes]  What reads moved.
--   bytes_written  int64?  [bytes]  What writes moved.
--   max_byte_read  int64?  [bytes]  The largest offset that was read.
--   max_byte_written  int64?  [bytes]  The largest offset that was written.
--   consec_reads  int64?  [calls]  Reads that begin right after the last byte of the one before.
--   consec_writes  int64?  [calls]  Writes that begin right after the last byte of the one before.
--   seq_reads  int64?  [calls]  Reads that begin after the last byte of the one before, consecutive ones among them.
--   seq_writes  int64?  [calls]  Writes that begin after the last byte of the one before, consecutive ones among them.
--   rw_switches  int64?  [calls]  Changes between reading and writing.
--   mem_not_aligned  int64?  [calls]  Accesses whose memory is not aligned.
--   mem_alignment  int64?  [bytes]  The alignment of memory.
--   file_not_aligned  int64?  [calls]  Accesses that do not begin at a multiple of the file's alignment.
--   file_alignment  int64?  [bytes]  The file's alignment: the file system's block, or Lustre's stripe.
--   max_read_time_size  int64?  [number]  Darshan's counter POSIX_MAX_READ_TIME_SIZE.
--   max_write_time_size  int64?  [number]  Darshan's counter POSIX_MAX_WRITE_TIME_SIZE.
--   size_read_0_100  int64?  [calls]  Reads of 0 to 100 bytes.
--   size_read_100_1k  int64?  [calls]  Reads of 101 bytes to 1 KB.
--   size_read_1k_10k  int64?  [calls]  Reads of over 1 to 10 KB.
--   size_read_10k_100k  int64?  [calls]  Reads of over 10 to 100 KB.
--   size_read_100k_1m  int64?  [calls]  Reads of over 100 KB to 1 MB.
--   size_read_1m_4m  int64?  [calls]  Reads of over 1 to 4 MB.
--   size_read_4m_10m  int64?  [calls]  Reads of over 4 to 10 MB.
--   size_read_10m_100m  int64?  [calls]  Reads of over 10 to 100 MB.
--   size_read_100m_1g  int64?  [calls]  Reads of over 100 MB to 1 GB.
--   size_read_1g_plus  int64?  [calls]  Reads of over 1 GB.
--   size_write_0_100  int64?  [calls]  Writes of 0 to 100 bytes.
--   size_write_100_1k  int64?  [calls]  Writes of 101 bytes to 1 KB.
--   size_write_1k_10k  int64?  [calls]  Writes of over 1 to 10 KB.
--   size_write_10k_100k  int64?  [calls]  Writes of over 10 to 100 KB.
--   size_write_100k_1m  int64?  [calls]  Writes of over 100 KB to 1 MB.
--   size_write_1m_4m  int64?  [calls]  Writes of over 1 to 4 MB.
--   size_write_4m_10m  int64?  [calls]  Writes of over 4 to 10 MB.
--   size_write_10m_100m  int64?  [calls]  Writes of over 10 to 100 MB.
--   size_write_100m_1g  int64?  [calls]  Writes of over 100 MB to 1 GB.
--   size_write_1g_plus  int64?  [calls]  Writes of over 1 GB.
--   stride1_stride  int64?  [bytes]  The most common distance between accesses.
--   stride2_stride  int64?  [bytes]  The second most common distance between accesses.
--   stride3_stride  int64?  [bytes]  The third most common distance between accesses.
--   stride4_stride  int64?  [bytes]  The fourth most common distance between accesses.
--   stride1_count  int64?  [calls]  How often column stride1_stride occurs, at least.
--   stride2_count  int64?  [calls]  How often column stride2_stride occurs, at least.
--   stride3_count  int64?  [calls]  How often column stride3_stride occurs, at least.
--   stride4_count  int64?  [calls]  How often column stride4_stride occurs, at least.
--   access1_access  int64?  [bytes]  The most common size of accesses.
--   access2_access  int64?  [bytes]  The second most common size of accesses.
--   access3_access  int64?  [bytes]  The third most common size of accesses.
--   access4_access  int64?  [bytes]  The fourth most common size of accesses.
--   access1_count  int64?  [calls]  How often column access1_access occurs, at least.
--   access2_count  int64?  [calls]  How often column access2_access occurs, at least.
--   access3_count  int64?  [calls]  How often column access3_access occurs, at least.
--   access4_count  int64?  [calls]  How often column access4_access occurs, at least.
--   fastest_rank  int64?  [identifier]  The rank with the least time; of a record of all ranks.
--   fastest_rank_bytes  int64?  [bytes]  The bytes of the rank with the least time.
--   slowest_rank  int64?  [identifier]  The rank with the most time; of a record of all ranks.
--   slowest_rank_bytes  int64?  [bytes]  The bytes of the rank with the most time.
--   f_open_start_timestamp  double?  [s]  When the first open began, since the job's start; null if there was none.
--   f_read_start_timestamp  double?  [s]  When the first read began, since the job's start; null if there was none.
--   f_write_start_timestamp  double?  [s]  When the first write began, since the job's start; null if there was none.
--   f_close_start_timestamp  double?  [s]  When the first close began, since the job's start; null if there was none.
--   f_open_end_timestamp  double?  [s]  When the last open ended, since the job's start; null if there was none.
--   f_read_end_timestamp  double?  [s]  When the last read ended, since the job's start; null if there was none.
--   f_write_end_timestamp  double?  [s]  When the last write ended, since the job's start; null if there was none.
--   f_close_end_timestamp  double?  [s]  When the last close ended, since the job's start; null if there was none.
--   f_read_time  double?  [s]  Time in reads; over all ranks in a record of all.
--   f_write_time  double?  [s]  Time in writes; over all ranks in a record of all.
--   f_meta_time  double?  [s]  Time in opens, closes, seeks and the like; over all ranks in a record of all.
--   f_max_read_time  double?  [s]  The longest read.
--   f_max_write_time  double?  [s]  The longest write.
--   f_fastest_rank_time  double?  [s]  The time of the rank with the least.
--   f_slowest_rank_time  double?  [s]  The time of the rank with the most.
--   f_variance_rank_time  double?  [s2]  The variance of the ranks' time.
--   f_variance_rank_bytes  double?  [bytes2]  The variance of the ranks' bytes.

select record, any_value(job) as job, any_value(file) as file, any_value(rank) as rank,
       max(nullif(value, -1)) filter (counter = 'POSIX_OPENS') as "opens",
       max(nullif(value, -1)) filter (counter = 'POSIX_FILENOS') as "filenos",
       max(nullif(value, -1)) filter (counter = 'POSIX_DUPS') as "dups",
       max(nullif(value, -1)) filter (counter = 'POSIX_READS') as "reads",
       max(nullif(value, -1)) filter (counter = 'POSIX_WRITES') as "writes",
       max(nullif(value, -1)) filter (counter = 'POSIX_SEEKS') as "seeks",
       max(nullif(value, -1)) filter (counter = 'POSIX_STATS') as "stats",
       max(nullif(value, -1)) filter (counter = 'POSIX_MMAPS') as "mmaps",
       max(nullif(value, -1)) filter (counter = 'POSIX_FSYNCS') as "fsyncs",
       max(nullif(value, -1)) filter (counter = 'POSIX_FDSYNCS') as "fdsyncs",
       max(nullif(value, -1)) filter (counter = 'POSIX_RENAME_SOURCES') as "rename_sources",
       max(nullif(value, -1)) filter (counter = 'POSIX_RENAME_TARGETS') as "rename_targets",
       max(nullif(value, -1)) filter (counter = 'POSIX_RENAMED_FROM') as "renamed_from",
       max(nullif(value, -1)) filter (counter = 'POSIX_MODE') as "mode",
       max(nullif(value, -1)) filter (counter = 'POSIX_BYTES_READ') as "bytes_read",
       max(nullif(value, -1)) filter (counter = 'POSIX_BYTES_WRITTEN') as "bytes_written",
       max(nullif(value, -1)) filter (counter = 'POSIX_MAX_BYTE_READ') as "max_byte_read",
       max(nullif(value, -1)) filter (counter = 'POSIX_MAX_BYTE_WRITTEN') as "max_byte_written",
       max(nullif(value, -1)) filter (counter = 'POSIX_CONSEC_READS') as "consec_reads",
       max(nullif(value, -1)) filter (counter = 'POSIX_CONSEC_WRITES') as "consec_writes",
       max(nullif(value, -1)) filter (counter = 'POSIX_SEQ_READS') as "seq_reads",
       max(nullif(value, -1)) filter (counter = 'POSIX_SEQ_WRITES') as "seq_writes",
       max(nullif(value, -1)) filter (counter = 'POSIX_RW_SWITCHES') as "rw_switches",
       max(nullif(value, -1)) filter (counter = 'POSIX_MEM_NOT_ALIGNED') as "mem_not_aligned",
       max(nullif(value, -1)) filter (counter = 'POSIX_MEM_ALIGNMENT') as "mem_alignment",
       max(nullif(value, -1)) filter (counter = 'POSIX_FILE_NOT_ALIGNED') as "file_not_aligned",
       max(nullif(value, -1)) filter (counter = 'POSIX_FILE_ALIGNMENT') as "file_alignment",
       max(nullif(value, -1)) filter (counter = 'POSIX_MAX_READ_TIME_SIZE') as "max_read_time_size",
       max(nullif(value, -1)) filter (counter = 'POSIX_MAX_WRITE_TIME_SIZE') as "max_write_time_size",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_READ_0_100') as "size_read_0_100",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_READ_100_1K') as "size_read_100_1k",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_READ_1K_10K') as "size_read_1k_10k",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_READ_10K_100K') as "size_read_10k_100k",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_READ_100K_1M') as "size_read_100k_1m",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_READ_1M_4M') as "size_read_1m_4m",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_READ_4M_10M') as "size_read_4m_10m",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_READ_10M_100M') as "size_read_10m_100m",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_READ_100M_1G') as "size_read_100m_1g",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_READ_1G_PLUS') as "size_read_1g_plus",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_WRITE_0_100') as "size_write_0_100",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_WRITE_100_1K') as "size_write_100_1k",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_WRITE_1K_10K') as "size_write_1k_10k",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_WRITE_10K_100K') as "size_write_10k_100k",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_WRITE_100K_1M') as "size_write_100k_1m",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_WRITE_1M_4M') as "size_write_1m_4m",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_WRITE_4M_10M') as "size_write_4m_10m",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_WRITE_10M_100M') as "size_write_10m_100m",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_WRITE_100M_1G') as "size_write_100m_1g",
       max(nullif(value, -1)) filter (counter = 'POSIX_SIZE_WRITE_1G_PLUS') as "size_write_1g_plus",
       max(nullif(value, -1)) filter (counter = 'POSIX_STRIDE1_STRIDE') as "stride1_stride",
       max(nullif(value, -1)) filter (counter = 'POSIX_STRIDE2_STRIDE') as "stride2_stride",
       max(nullif(value, -1)) filter (counter = 'POSIX_STRIDE3_STRIDE') as "stride3_stride",
       max(nullif(value, -1)) filter (counter = 'POSIX_STRIDE4_STRIDE') as "stride4_stride",
       max(nullif(value, -1)) filter (counter = 'POSIX_STRIDE1_COUNT') as "stride1_count",
       max(nullif(value, -1)) filter (counter = 'POSIX_STRIDE2_COUNT') as "stride2_count",
       max(nullif(value, -1)) filter (counter = 'POSIX_STRIDE3_COUNT') as "stride3_count",
       max(nullif(value, -1)) filter (counter = 'POSIX_STRIDE4_COUNT') as "stride4_count",
       max(nullif(value, -1)) filter (counter = 'POSIX_ACCESS1_ACCESS') as "access1_access",
       max(nullif(value, -1)) filter (counter = 'POSIX_ACCESS2_ACCESS') as "access2_access",
       max(nullif(value, -1)) filter (counter = 'POSIX_ACCESS3_ACCESS') as "access3_access",
       max(nullif(value, -1)) filter (counter = 'POSIX_ACCESS4_ACCESS') as "access4_access",
       max(nullif(value, -1)) filter (counter = 'POSIX_ACCESS1_COUNT') as "access1_count",
       max(nullif(value, -1)) filter (counter = 'POSIX_ACCESS2_COUNT') as "access2_count",
       max(nullif(value, -1)) filter (counter = 'POSIX_ACCESS3_COUNT') as "access3_count",
       max(nullif(value, -1)) filter (counter = 'POSIX_ACCESS4_COUNT') as "access4_count",
       max(nullif(value, -1)) filter (counter = 'POSIX_FASTEST_RANK') as "fastest_rank",
       max(nullif(value, -1)) filter (counter = 'POSIX_FASTEST_RANK_BYTES') as "fastest_rank_bytes",
       max(nullif(value, -1)) filter (counter = 'POSIX_SLOWEST_RANK') as "slowest_rank",
       max(nullif(value, -1)) filter (counter = 'POSIX_SLOWEST_RANK_BYTES') as "slowest_rank_bytes",
       max(if(seconds > 0, seconds, null)) filter (counter = 'POSIX_F_OPEN_START_TIMESTAMP') as "f_open_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'POSIX_F_READ_START_TIMESTAMP') as "f_read_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'POSIX_F_WRITE_START_TIMESTAMP') as "f_write_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'POSIX_F_CLOSE_START_TIMESTAMP') as "f_close_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'POSIX_F_OPEN_END_TIMESTAMP') as "f_open_end_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'POSIX_F_READ_END_TIMESTAMP') as "f_read_end_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'POSIX_F_WRITE_END_TIMESTAMP') as "f_write_end_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'POSIX_F_CLOSE_END_TIMESTAMP') as "f_close_end_timestamp",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'POSIX_F_READ_TIME') as "f_read_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'POSIX_F_WRITE_TIME') as "f_write_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'POSIX_F_META_TIME') as "f_meta_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'POSIX_F_MAX_READ_TIME') as "f_max_read_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'POSIX_F_MAX_WRITE_TIME') as "f_max_write_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'POSIX_F_FASTEST_RANK_TIME') as "f_fastest_rank_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'POSIX_F_SLOWEST_RANK_TIME') as "f_slowest_rank_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'POSIX_F_VARIANCE_RANK_TIME') as "f_variance_rank_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'POSIX_F_VARIANCE_RANK_BYTES') as "f_variance_rank_bytes"
from darshan_counter
where module = 'POSIX'
group by record
