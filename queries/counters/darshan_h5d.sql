-- Counters of module H5D
--
-- One row per record of module H5D in a log of Darshan, with a column for each of its counters. A record is of a file
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
--   reads  int64?  [calls]  Reads.
--   writes  int64?  [calls]  Writes.
--   flushes  int64?  [calls]  Flushes.
--   bytes_read  int64?  [bytes]  What reads moved.
--   bytes_written  int64?  [bytes]  What writes moved.
--   rw_switches  int64?  [calls]  Changes between reading and writing.
--   regular_hyperslab_selects  int64?  [number]  Darshan's counter H5D_REGULAR_HYPERSLAB_SELECTS.
--   irregular_hyperslab_selects  int64?  [number]  Darshan's counter H5D_IRREGULAR_HYPERSLAB_SELECTS.
--   point_selects  int64?  [number]  Darshan's counter H5D_POINT_SELECTS.
--   max_read_time_size  int64?  [number]  Darshan's counter H5D_MAX_READ_TIME_SIZE.
--   max_write_time_size  int64?  [number]  Darshan's counter H5D_MAX_WRITE_TIME_SIZE.
--   size_read_agg_0_100  int64?  [calls]  Reads of 0 to 100 bytes in all.
--   size_read_agg_100_1k  int64?  [calls]  Reads of 101 bytes to 1 KB in all.
--   size_read_agg_1k_10k  int64?  [calls]  Reads of over 1 to 10 KB in all.
--   size_read_agg_10k_100k  int64?  [calls]  Reads of over 10 to 100 KB in all.
--   size_read_agg_100k_1m  int64?  [calls]  Reads of over 100 KB to 1 MB in all.
--   size_read_agg_1m_4m  int64?  [calls]  Reads of over 1 to 4 MB in all.
--   size_read_agg_4m_10m  int64?  [calls]  Reads of over 4 to 10 MB in all.
--   size_read_agg_10m_100m  int64?  [calls]  Reads of over 10 to 100 MB in all.
--   size_read_agg_100m_1g  int64?  [calls]  Reads of over 100 MB to 1 GB in all.
--   size_read_agg_1g_plus  int64?  [calls]  Reads of over 1 GB in all.
--   size_write_agg_0_100  int64?  [calls]  Writes of 0 to 100 bytes in all.
--   size_write_agg_100_1k  int64?  [calls]  Writes of 101 bytes to 1 KB in all.
--   size_write_agg_1k_10k  int64?  [calls]  Writes of over 1 to 10 KB in all.
--   size_write_agg_10k_100k  int64?  [calls]  Writes of over 10 to 100 KB in all.
--   size_write_agg_100k_1m  int64?  [calls]  Writes of over 100 KB to 1 MB in all.
--   size_write_agg_1m_4m  int64?  [calls]  Writes of over 1 to 4 MB in all.
--   size_write_agg_4m_10m  int64?  [calls]  Writes of over 4 to 10 MB in all.
--   size_write_agg_10m_100m  int64?  [calls]  Writes of over 10 to 100 MB in all.
--   size_write_agg_100m_1g  int64?  [calls]  Writes of over 100 MB to 1 GB in all.
--   size_write_agg_1g_plus  int64?  [calls]  Writes of over 1 GB in all.
--   access1_access  int64?  [bytes]  The most common size of accesses.
--   access1_length_d1  int64?  [number]  Darshan's counter H5D_ACCESS1_LENGTH_D1.
--   access1_length_d2  int64?  [number]  Darshan's counter H5D_ACCESS1_LENGTH_D2.
--   access1_length_d3  int64?  [number]  Darshan's counter H5D_ACCESS1_LENGTH_D3.
--   access1_length_d4  int64?  [number]  Darshan's counter H5D_ACCESS1_LENGTH_D4.
--   access1_length_d5  int64?  [number]  Darshan's counter H5D_ACCESS1_LENGTH_D5.
--   access1_stride_d1  int64?  [number]  Darshan's counter H5D_ACCESS1_STRIDE_D1.
--   access1_stride_d2  int64?  [number]  Darshan's counter H5D_ACCESS1_STRIDE_D2.
--   access1_stride_d3  int64?  [number]  Darshan's counter H5D_ACCESS1_STRIDE_D3.
--   access1_stride_d4  int64?  [number]  Darshan's counter H5D_ACCESS1_STRIDE_D4.
--   access1_stride_d5  int64?  [number]  Darshan's counter H5D_ACCESS1_STRIDE_D5.
--   access2_access  int64?  [bytes]  The second most common size of accesses.
--   access2_length_d1  int64?  [number]  Darshan's counter H5D_ACCESS2_LENGTH_D1.
--   access2_length_d2  int64?  [number]  Darshan's counter H5D_ACCESS2_LENGTH_D2.
--   access2_length_d3  int64?  [number]  Darshan's counter H5D_ACCESS2_LENGTH_D3.
--   access2_length_d4  int64?  [number]  Darshan's counter H5D_ACCESS2_LENGTH_D4.
--   access2_length_d5  int64?  [number]  Darshan's counter H5D_ACCESS2_LENGTH_D5.
--   access2_stride_d1  int64?  [number]  Darshan's counter H5D_ACCESS2_STRIDE_D1.
--   access2_stride_d2  int64?  [number]  Darshan's counter H5D_ACCESS2_STRIDE_D2.
--   access2_stride_d3  int64?  [number]  Darshan's counter H5D_ACCESS2_STRIDE_D3.
--   access2_stride_d4  int64?  [number]  Darshan's counter H5D_ACCESS2_STRIDE_D4.
--   access2_stride_d5  int64?  [number]  Darshan's counter H5D_ACCESS2_STRIDE_D5.
--   access3_access  int64?  [bytes]  The third most common size of accesses.
--   access3_length_d1  int64?  [number]  Darshan's counter H5D_ACCESS3_LENGTH_D1.
--   access3_length_d2  int64?  [number]  Darshan's counter H5D_ACCESS3_LENGTH_D2.
--   access3_length_d3  int64?  [number]  Darshan's counter H5D_ACCESS3_LENGTH_D3.
--   access3_length_d4  int64?  [number]  Darshan's counter H5D_ACCESS3_LENGTH_D4.
--   access3_length_d5  int64?  [number]  Darshan's counter H5D_ACCESS3_LENGTH_D5.
--   access3_stride_d1  int64?  [number]  Darshan's counter H5D_ACCESS3_STRIDE_D1.
--   access3_stride_d2  int64?  [number]  Darshan's counter H5D_ACCESS3_STRIDE_D2.
--   access3_stride_d3  int64?  [number]  Darshan's counter H5D_ACCESS3_STRIDE_D3.
--   access3_stride_d4  int64?  [number]  Darshan's counter H5D_ACCESS3_STRIDE_D4.
--   access3_stride_d5  int64?  [number]  Darshan's counter H5D_ACCESS3_STRIDE_D5.
--   access4_access  int64?  [bytes]  The fourth most common size of accesses.
--   access4_length_d1  int64?  [number]  Darshan's counter H5D_ACCESS4_LENGTH_D1.
--   access4_length_d2  int64?  [number]  Darshan's counter H5D_ACCESS4_LENGTH_D2.
--   access4_length_d3  int64?  [number]  Darshan's counter H5D_ACCESS4_LENGTH_D3.
--   access4_length_d4  int64?  [number]  Darshan's counter H5D_ACCESS4_LENGTH_D4.
--   access4_length_d5  int64?  [number]  Darshan's counter H5D_ACCESS4_LENGTH_D5.
--   access4_stride_d1  int64?  [number]  Darshan's counter H5D_ACCESS4_STRIDE_D1.
--   access4_stride_d2  int64?  [number]  Darshan's counter H5D_ACCESS4_STRIDE_D2.
--   access4_stride_d3  int64?  [number]  Darshan's counter H5D_ACCESS4_STRIDE_D3.
--   access4_stride_d4  int64?  [number]  Darshan's counter H5D_ACCESS4_STRIDE_D4.
--   access4_stride_d5  int64?  [number]  Darshan's counter H5D_ACCESS4_STRIDE_D5.
--   access1_count  int64?  [calls]  How often column access1_access occurs, at least.
--   access2_count  int64?  [calls]  How often column access2_access occurs, at least.
--   access3_count  int64?  [calls]  How often column access3_access occurs, at least.
--   access4_count  int64?  [calls]  How often column access4_access occurs, at least.
--   dataspace_ndims  int64?  [number]  Darshan's counter H5D_DATASPACE_NDIMS.
--   dataspace_npoints  int64?  [number]  Darshan's counter H5D_DATASPACE_NPOINTS.
--   datatype_size  int64?  [number]  Darshan's counter H5D_DATATYPE_SIZE.
--   chunk_size_d1  int64?  [number]  Darshan's counter H5D_CHUNK_SIZE_D1.
--   chunk_size_d2  int64?  [number]  Darshan's counter H5D_CHUNK_SIZE_D2.
--   chunk_size_d3  int64?  [number]  Darshan's counter H5D_CHUNK_SIZE_D3.
--   chunk_size_d4  int64?  [number]  Darshan's counter H5D_CHUNK_SIZE_D4.
--   chunk_size_d5  int64?  [number]  Darshan's counter H5D_CHUNK_SIZE_D5.
--   use_mpiio_collective  int64?  [number]  Darshan's counter H5D_USE_MPIIO_COLLECTIVE.
--   use_deprecated  int64?  [number]  Darshan's counter H5D_USE_DEPRECATED.
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
       max(nullif(value, -1)) filter (counter = 'H5D_OPENS') as "opens",
       max(nullif(value, -1)) filter (counter = 'H5D_READS') as "reads",
       max(nullif(value, -1)) filter (counter = 'H5D_WRITES') as "writes",
       max(nullif(value, -1)) filter (counter = 'H5D_FLUSHES') as "flushes",
       max(nullif(value, -1)) filter (counter = 'H5D_BYTES_READ') as "bytes_read",
       max(nullif(value, -1)) filter (counter = 'H5D_BYTES_WRITTEN') as "bytes_written",
       max(nullif(value, -1)) filter (counter = 'H5D_RW_SWITCHES') as "rw_switches",
       max(nullif(value, -1)) filter (counter = 'H5D_REGULAR_HYPERSLAB_SELECTS') as "regular_hyperslab_selects",
       max(nullif(value, -1)) filter (counter = 'H5D_IRREGULAR_HYPERSLAB_SELECTS') as "irregular_hyperslab_selects",
       max(nullif(value, -1)) filter (counter = 'H5D_POINT_SELECTS') as "point_selects",
       max(nullif(value, -1)) filter (counter = 'H5D_MAX_READ_TIME_SIZE') as "max_read_time_size",
       max(nullif(value, -1)) filter (counter = 'H5D_MAX_WRITE_TIME_SIZE') as "max_write_time_size",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_READ_AGG_0_100') as "size_read_agg_0_100",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_READ_AGG_100_1K') as "size_read_agg_100_1k",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_READ_AGG_1K_10K') as "size_read_agg_1k_10k",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_READ_AGG_10K_100K') as "size_read_agg_10k_100k",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_READ_AGG_100K_1M') as "size_read_agg_100k_1m",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_READ_AGG_1M_4M') as "size_read_agg_1m_4m",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_READ_AGG_4M_10M') as "size_read_agg_4m_10m",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_READ_AGG_10M_100M') as "size_read_agg_10m_100m",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_READ_AGG_100M_1G') as "size_read_agg_100m_1g",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_READ_AGG_1G_PLUS') as "size_read_agg_1g_plus",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_WRITE_AGG_0_100') as "size_write_agg_0_100",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_WRITE_AGG_100_1K') as "size_write_agg_100_1k",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_WRITE_AGG_1K_10K') as "size_write_agg_1k_10k",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_WRITE_AGG_10K_100K') as "size_write_agg_10k_100k",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_WRITE_AGG_100K_1M') as "size_write_agg_100k_1m",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_WRITE_AGG_1M_4M') as "size_write_agg_1m_4m",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_WRITE_AGG_4M_10M') as "size_write_agg_4m_10m",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_WRITE_AGG_10M_100M') as "size_write_agg_10m_100m",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_WRITE_AGG_100M_1G') as "size_write_agg_100m_1g",
       max(nullif(value, -1)) filter (counter = 'H5D_SIZE_WRITE_AGG_1G_PLUS') as "size_write_agg_1g_plus",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS1_ACCESS') as "access1_access",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS1_LENGTH_D1') as "access1_length_d1",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS1_LENGTH_D2') as "access1_length_d2",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS1_LENGTH_D3') as "access1_length_d3",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS1_LENGTH_D4') as "access1_length_d4",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS1_LENGTH_D5') as "access1_length_d5",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS1_STRIDE_D1') as "access1_stride_d1",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS1_STRIDE_D2') as "access1_stride_d2",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS1_STRIDE_D3') as "access1_stride_d3",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS1_STRIDE_D4') as "access1_stride_d4",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS1_STRIDE_D5') as "access1_stride_d5",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS2_ACCESS') as "access2_access",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS2_LENGTH_D1') as "access2_length_d1",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS2_LENGTH_D2') as "access2_length_d2",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS2_LENGTH_D3') as "access2_length_d3",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS2_LENGTH_D4') as "access2_length_d4",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS2_LENGTH_D5') as "access2_length_d5",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS2_STRIDE_D1') as "access2_stride_d1",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS2_STRIDE_D2') as "access2_stride_d2",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS2_STRIDE_D3') as "access2_stride_d3",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS2_STRIDE_D4') as "access2_stride_d4",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS2_STRIDE_D5') as "access2_stride_d5",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS3_ACCESS') as "access3_access",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS3_LENGTH_D1') as "access3_length_d1",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS3_LENGTH_D2') as "access3_length_d2",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS3_LENGTH_D3') as "access3_length_d3",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS3_LENGTH_D4') as "access3_length_d4",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS3_LENGTH_D5') as "access3_length_d5",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS3_STRIDE_D1') as "access3_stride_d1",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS3_STRIDE_D2') as "access3_stride_d2",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS3_STRIDE_D3') as "access3_stride_d3",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS3_STRIDE_D4') as "access3_stride_d4",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS3_STRIDE_D5') as "access3_stride_d5",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS4_ACCESS') as "access4_access",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS4_LENGTH_D1') as "access4_length_d1",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS4_LENGTH_D2') as "access4_length_d2",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS4_LENGTH_D3') as "access4_length_d3",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS4_LENGTH_D4') as "access4_length_d4",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS4_LENGTH_D5') as "access4_length_d5",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS4_STRIDE_D1') as "access4_stride_d1",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS4_STRIDE_D2') as "access4_stride_d2",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS4_STRIDE_D3') as "access4_stride_d3",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS4_STRIDE_D4') as "access4_stride_d4",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS4_STRIDE_D5') as "access4_stride_d5",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS1_COUNT') as "access1_count",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS2_COUNT') as "access2_count",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS3_COUNT') as "access3_count",
       max(nullif(value, -1)) filter (counter = 'H5D_ACCESS4_COUNT') as "access4_count",
       max(nullif(value, -1)) filter (counter = 'H5D_DATASPACE_NDIMS') as "dataspace_ndims",
       max(nullif(value, -1)) filter (counter = 'H5D_DATASPACE_NPOINTS') as "dataspace_npoints",
       max(nullif(value, -1)) filter (counter = 'H5D_DATATYPE_SIZE') as "datatype_size",
       max(nullif(value, -1)) filter (counter = 'H5D_CHUNK_SIZE_D1') as "chunk_size_d1",
       max(nullif(value, -1)) filter (counter = 'H5D_CHUNK_SIZE_D2') as "chunk_size_d2",
       max(nullif(value, -1)) filter (counter = 'H5D_CHUNK_SIZE_D3') as "chunk_size_d3",
       max(nullif(value, -1)) filter (counter = 'H5D_CHUNK_SIZE_D4') as "chunk_size_d4",
       max(nullif(value, -1)) filter (counter = 'H5D_CHUNK_SIZE_D5') as "chunk_size_d5",
       max(nullif(value, -1)) filter (counter = 'H5D_USE_MPIIO_COLLECTIVE') as "use_mpiio_collective",
       max(nullif(value, -1)) filter (counter = 'H5D_USE_DEPRECATED') as "use_deprecated",
       max(nullif(value, -1)) filter (counter = 'H5D_FASTEST_RANK') as "fastest_rank",
       max(nullif(value, -1)) filter (counter = 'H5D_FASTEST_RANK_BYTES') as "fastest_rank_bytes",
       max(nullif(value, -1)) filter (counter = 'H5D_SLOWEST_RANK') as "slowest_rank",
       max(nullif(value, -1)) filter (counter = 'H5D_SLOWEST_RANK_BYTES') as "slowest_rank_bytes",
       max(if(seconds > 0, seconds, null)) filter (counter = 'H5D_F_OPEN_START_TIMESTAMP') as "f_open_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'H5D_F_READ_START_TIMESTAMP') as "f_read_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'H5D_F_WRITE_START_TIMESTAMP') as "f_write_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'H5D_F_CLOSE_START_TIMESTAMP') as "f_close_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'H5D_F_OPEN_END_TIMESTAMP') as "f_open_end_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'H5D_F_READ_END_TIMESTAMP') as "f_read_end_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'H5D_F_WRITE_END_TIMESTAMP') as "f_write_end_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'H5D_F_CLOSE_END_TIMESTAMP') as "f_close_end_timestamp",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'H5D_F_READ_TIME') as "f_read_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'H5D_F_WRITE_TIME') as "f_write_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'H5D_F_META_TIME') as "f_meta_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'H5D_F_MAX_READ_TIME') as "f_max_read_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'H5D_F_MAX_WRITE_TIME') as "f_max_write_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'H5D_F_FASTEST_RANK_TIME') as "f_fastest_rank_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'H5D_F_SLOWEST_RANK_TIME') as "f_slowest_rank_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'H5D_F_VARIANCE_RANK_TIME') as "f_variance_rank_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'H5D_F_VARIANCE_RANK_BYTES') as "f_variance_rank_bytes"
from darshan_counter
where module = 'H5D'
group by record
