-- Counters of module DFS
--
-- One row per record of module DFS in a log of Darshan, with a column for each of its counters. A record is of a file
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
--   global_opens  int64?  [number]  Darshan's counter DFS_GLOBAL_OPENS.
--   lookups  int64?  [number]  Darshan's counter DFS_LOOKUPS.
--   dups  int64?  [number]  Darshan's counter DFS_DUPS.
--   reads  int64?  [calls]  Reads.
--   readxs  int64?  [number]  Darshan's counter DFS_READXS.
--   writes  int64?  [calls]  Writes.
--   writexs  int64?  [number]  Darshan's counter DFS_WRITEXS.
--   nb_reads  int64?  [calls]  Reads that do not block.
--   nb_writes  int64?  [calls]  Writes that do not block.
--   get_sizes  int64?  [number]  Darshan's counter DFS_GET_SIZES.
--   punches  int64?  [number]  Darshan's counter DFS_PUNCHES.
--   removes  int64?  [number]  Darshan's counter DFS_REMOVES.
--   stats  int64?  [calls]  Calls of stat.
--   bytes_read  int64?  [bytes]  What reads moved.
--   bytes_written  int64?  [bytes]  What writes moved.
--   rw_switches  int64?  [calls]  Changes between reading and writing.
--   max_read_time_size  int64?  [number]  Darshan's counter DFS_MAX_READ_TIME_SIZE.
--   max_write_time_size  int64?  [number]  Darshan's counter DFS_MAX_WRITE_TIME_SIZE.
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
--   access1_access  int64?  [bytes]  The most common size of accesses.
--   access2_access  int64?  [bytes]  The second most common size of accesses.
--   access3_access  int64?  [bytes]  The third most common size of accesses.
--   access4_access  int64?  [bytes]  The fourth most common size of accesses.
--   access1_count  int64?  [calls]  How often column access1_access occurs, at least.
--   access2_count  int64?  [calls]  How often column access2_access occurs, at least.
--   access3_count  int64?  [calls]  How often column access3_access occurs, at least.
--   access4_count  int64?  [calls]  How often column access4_access occurs, at least.
--   chunk_size  int64?  [number]  Darshan's counter DFS_CHUNK_SIZE.
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

select record, any_value(job) as job, any_value(file) as file, any_value(rank) as rank,
       max(nullif(value, -1)) filter (counter = 'DFS_OPENS') as "opens",
       max(nullif(value, -1)) filter (counter = 'DFS_GLOBAL_OPENS') as "global_opens",
       max(nullif(value, -1)) filter (counter = 'DFS_LOOKUPS') as "lookups",
       max(nullif(value, -1)) filter (counter = 'DFS_DUPS') as "dups",
       max(nullif(value, -1)) filter (counter = 'DFS_READS') as "reads",
       max(nullif(value, -1)) filter (counter = 'DFS_READXS') as "readxs",
       max(nullif(value, -1)) filter (counter = 'DFS_WRITES') as "writes",
       max(nullif(value, -1)) filter (counter = 'DFS_WRITEXS') as "writexs",
       max(nullif(value, -1)) filter (counter = 'DFS_NB_READS') as "nb_reads",
       max(nullif(value, -1)) filter (counter = 'DFS_NB_WRITES') as "nb_writes",
       max(nullif(value, -1)) filter (counter = 'DFS_GET_SIZES') as "get_sizes",
       max(nullif(value, -1)) filter (counter = 'DFS_PUNCHES') as "punches",
       max(nullif(value, -1)) filter (counter = 'DFS_REMOVES') as "removes",
       max(nullif(value, -1)) filter (counter = 'DFS_STATS') as "stats",
       max(nullif(value, -1)) filter (counter = 'DFS_BYTES_READ') as "bytes_read",
       max(nullif(value, -1)) filter (counter = 'DFS_BYTES_WRITTEN') as "bytes_written",
       max(nullif(value, -1)) filter (counter = 'DFS_RW_SWITCHES') as "rw_switches",
       max(nullif(value, -1)) filter (counter = 'DFS_MAX_READ_TIME_SIZE') as "max_read_time_size",
       max(nullif(value, -1)) filter (counter = 'DFS_MAX_WRITE_TIME_SIZE') as "max_write_time_size",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_READ_0_100') as "size_read_0_100",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_READ_100_1K') as "size_read_100_1k",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_READ_1K_10K') as "size_read_1k_10k",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_READ_10K_100K') as "size_read_10k_100k",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_READ_100K_1M') as "size_read_100k_1m",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_READ_1M_4M') as "size_read_1m_4m",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_READ_4M_10M') as "size_read_4m_10m",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_READ_10M_100M') as "size_read_10m_100m",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_READ_100M_1G') as "size_read_100m_1g",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_READ_1G_PLUS') as "size_read_1g_plus",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_WRITE_0_100') as "size_write_0_100",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_WRITE_100_1K') as "size_write_100_1k",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_WRITE_1K_10K') as "size_write_1k_10k",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_WRITE_10K_100K') as "size_write_10k_100k",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_WRITE_100K_1M') as "size_write_100k_1m",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_WRITE_1M_4M') as "size_write_1m_4m",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_WRITE_4M_10M') as "size_write_4m_10m",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_WRITE_10M_100M') as "size_write_10m_100m",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_WRITE_100M_1G') as "size_write_100m_1g",
       max(nullif(value, -1)) filter (counter = 'DFS_SIZE_WRITE_1G_PLUS') as "size_write_1g_plus",
       max(nullif(value, -1)) filter (counter = 'DFS_ACCESS1_ACCESS') as "access1_access",
       max(nullif(value, -1)) filter (counter = 'DFS_ACCESS2_ACCESS') as "access2_access",
       max(nullif(value, -1)) filter (counter = 'DFS_ACCESS3_ACCESS') as "access3_access",
       max(nullif(value, -1)) filter (counter = 'DFS_ACCESS4_ACCESS') as "access4_access",
       max(nullif(value, -1)) filter (counter = 'DFS_ACCESS1_COUNT') as "access1_count",
       max(nullif(value, -1)) filter (counter = 'DFS_ACCESS2_COUNT') as "access2_count",
       max(nullif(value, -1)) filter (counter = 'DFS_ACCESS3_COUNT') as "access3_count",
       max(nullif(value, -1)) filter (counter = 'DFS_ACCESS4_COUNT') as "access4_count",
       max(nullif(value, -1)) filter (counter = 'DFS_CHUNK_SIZE') as "chunk_size",
       max(nullif(value, -1)) filter (counter = 'DFS_FASTEST_RANK') as "fastest_rank",
       max(nullif(value, -1)) filter (counter = 'DFS_FASTEST_RANK_BYTES') as "fastest_rank_bytes",
       max(nullif(value, -1)) filter (counter = 'DFS_SLOWEST_RANK') as "slowest_rank",
       max(nullif(value, -1)) filter (counter = 'DFS_SLOWEST_RANK_BYTES') as "slowest_rank_bytes",
       max(if(seconds > 0, seconds, null)) filter (counter = 'DFS_F_OPEN_START_TIMESTAMP') as "f_open_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'DFS_F_READ_START_TIMESTAMP') as "f_read_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'DFS_F_WRITE_START_TIMESTAMP') as "f_write_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'DFS_F_CLOSE_START_TIMESTAMP') as "f_close_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'DFS_F_OPEN_END_TIMESTAMP') as "f_open_end_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'DFS_F_READ_END_TIMESTAMP') as "f_read_end_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'DFS_F_WRITE_END_TIMESTAMP') as "f_write_end_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'DFS_F_CLOSE_END_TIMESTAMP') as "f_close_end_timestamp",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'DFS_F_READ_TIME') as "f_read_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'DFS_F_WRITE_TIME') as "f_write_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'DFS_F_META_TIME') as "f_meta_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'DFS_F_MAX_READ_TIME') as "f_max_read_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'DFS_F_MAX_WRITE_TIME') as "f_max_write_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'DFS_F_FASTEST_RANK_TIME') as "f_fastest_rank_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'DFS_F_SLOWEST_RANK_TIME') as "f_slowest_rank_time"
from darshan_counter
where module = 'DFS'
group by record
