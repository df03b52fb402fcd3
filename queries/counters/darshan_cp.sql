-- Counters of module CP
--
-- One row per record of module CP in a log of Darshan, with a column for each of its counters. A record is of a file
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
--   indep_opens  int64?  [calls]  Opens that a rank made for itself.
--   coll_opens  int64?  [calls]  Collective opens.
--   indep_reads  int64?  [calls]  Reads that a rank made for itself.
--   indep_writes  int64?  [calls]  Writes that a rank made for itself.
--   coll_reads  int64?  [calls]  Collective reads.
--   coll_writes  int64?  [calls]  Collective writes.
--   split_reads  int64?  [calls]  Split collective reads.
--   split_writes  int64?  [calls]  Split collective writes.
--   nb_reads  int64?  [calls]  Reads that do not block.
--   nb_writes  int64?  [calls]  Writes that do not block.
--   syncs  int64?  [number]  Darshan's counter CP_SYNCS.
--   posix_reads  int64?  [number]  Darshan's counter CP_POSIX_READS.
--   posix_writes  int64?  [number]  Darshan's counter CP_POSIX_WRITES.
--   posix_opens  int64?  [number]  Darshan's counter CP_POSIX_OPENS.
--   posix_seeks  int64?  [number]  Darshan's counter CP_POSIX_SEEKS.
--   posix_stats  int64?  [number]  Darshan's counter CP_POSIX_STATS.
--   posix_mmaps  int64?  [number]  Darshan's counter CP_POSIX_MMAPS.
--   posix_freads  int64?  [number]  Darshan's counter CP_POSIX_FREADS.
--   posix_fwrites  int64?  [number]  Darshan's counter CP_POSIX_FWRITES.
--   posix_fopens  int64?  [number]  Darshan's counter CP_POSIX_FOPENS.
--   posix_fseeks  int64?  [number]  Darshan's counter CP_POSIX_FSEEKS.
--   posix_fsyncs  int64?  [number]  Darshan's counter CP_POSIX_FSYNCS.
--   posix_fdsyncs  int64?  [number]  Darshan's counter CP_POSIX_FDSYNCS.
--   indep_nc_opens  int64?  [number]  Darshan's counter CP_INDEP_NC_OPENS.
--   coll_nc_opens  int64?  [number]  Darshan's counter CP_COLL_NC_OPENS.
--   hdf5_opens  int64?  [number]  Darshan's counter CP_HDF5_OPENS.
--   combiner_named  int64?  [number]  Darshan's counter CP_COMBINER_NAMED.
--   combiner_dup  int64?  [number]  Darshan's counter CP_COMBINER_DUP.
--   combiner_contiguous  int64?  [number]  Darshan's counter CP_COMBINER_CONTIGUOUS.
--   combiner_vector  int64?  [number]  Darshan's counter CP_COMBINER_VECTOR.
--   combiner_hvector_integer  int64?  [number]  Darshan's counter CP_COMBINER_HVECTOR_INTEGER.
--   combiner_hvector  int64?  [number]  Darshan's counter CP_COMBINER_HVECTOR.
--   combiner_indexed  int64?  [number]  Darshan's counter CP_COMBINER_INDEXED.
--   combiner_hindexed_integer  int64?  [number]  Darshan's counter CP_COMBINER_HINDEXED_INTEGER.
--   combiner_hindexed  int64?  [number]  Darshan's counter CP_COMBINER_HINDEXED.
--   combiner_indexed_block  int64?  [number]  Darshan's counter CP_COMBINER_INDEXED_BLOCK.
--   combiner_struct_integer  int64?  [number]  Darshan's counter CP_COMBINER_STRUCT_INTEGER.
--   combiner_struct  int64?  [number]  Darshan's counter CP_COMBINER_STRUCT.
--   combiner_subarray  int64?  [number]  Darshan's counter CP_COMBINER_SUBARRAY.
--   combiner_darray  int64?  [number]  Darshan's counter CP_COMBINER_DARRAY.
--   combiner_f90_real  int64?  [number]  Darshan's counter CP_COMBINER_F90_REAL.
--   combiner_f90_complex  int64?  [number]  Darshan's counter CP_COMBINER_F90_COMPLEX.
--   combiner_f90_integer  int64?  [number]  Darshan's counter CP_COMBINER_F90_INTEGER.
--   combiner_resized  int64?  [number]  Darshan's counter CP_COMBINER_RESIZED.
--   hints  int64?  [number]  Darshan's counter CP_HINTS.
--   views  int64?  [number]  Darshan's counter CP_VIEWS.
--   mode  int64?  [number]  Darshan's counter CP_MODE.
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
--   max_read_time_size  int64?  [number]  Darshan's counter CP_MAX_READ_TIME_SIZE.
--   max_write_time_size  int64?  [number]  Darshan's counter CP_MAX_WRITE_TIME_SIZE.
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
--   extent_read_0_100  int64?  [calls]  Reads of 0 to 100 bytes as extents.
--   extent_read_100_1k  int64?  [calls]  Reads of 101 bytes to 1 KB as extents.
--   extent_read_1k_10k  int64?  [calls]  Reads of over 1 to 10 KB as extents.
--   extent_read_10k_100k  int64?  [calls]  Reads of over 10 to 100 KB as extents.
--   extent_read_100k_1m  int64?  [calls]  Reads of over 100 KB to 1 MB as extents.
--   extent_read_1m_4m  int64?  [calls]  Reads of over 1 to 4 MB as extents.
--   extent_read_4m_10m  int64?  [calls]  Reads of over 4 to 10 MB as extents.
--   extent_read_10m_100m  int64?  [calls]  Reads of over 10 to 100 MB as extents.
--   extent_read_100m_1g  int64?  [calls]  Reads of over 100 MB to 1 GB as extents.
--   extent_read_1g_plus  int64?  [calls]  Reads of over 1 GB as extents.
--   extent_write_0_100  int64?  [calls]  Writes of 0 to 100 bytes as extents.
--   extent_write_100_1k  int64?  [calls]  Writes of 101 bytes to 1 KB as extents.
--   extent_write_1k_10k  int64?  [calls]  Writes of over 1 to 10 KB as extents.
--   extent_write_10k_100k  int64?  [calls]  Writes of over 10 to 100 KB as extents.
--   extent_write_100k_1m  int64?  [calls]  Writes of over 100 KB to 1 MB as extents.
--   extent_write_1m_4m  int64?  [calls]  Writes of over 1 to 4 MB as extents.
--   extent_write_4m_10m  int64?  [calls]  Writes of over 4 to 10 MB as extents.
--   extent_write_10m_100m  int64?  [calls]  Writes of over 10 to 100 MB as extents.
--   extent_write_100m_1g  int64?  [calls]  Writes of over 100 MB to 1 GB as extents.
--   extent_write_1g_plus  int64?  [calls]  Writes of over 1 GB as extents.
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
--   device  int64?  [number]  Darshan's counter CP_DEVICE.
--   size_at_open  int64?  [number]  Darshan's counter CP_SIZE_AT_OPEN.
--   fastest_rank  int64?  [identifier]  The rank with the least time; of a record of all ranks.
--   fastest_rank_bytes  int64?  [bytes]  The bytes of the rank with the least time.
--   slowest_rank  int64?  [identifier]  The rank with the most time; of a record of all ranks.
--   slowest_rank_bytes  int64?  [bytes]  The bytes of the rank with the most time.
--   f_open_timestamp  double?  [s]  Darshan's time stamp CP_F_OPEN_TIMESTAMP, since the job's start; null if there was none.
--   f_read_start_timestamp  double?  [s]  When the first read began, since the job's start; null if there was none.
--   f_write_start_timestamp  double?  [s]  When the first write began, since the job's start; null if there was none.
--   f_close_timestamp  double?  [s]  Darshan's time stamp CP_F_CLOSE_TIMESTAMP, since the job's start; null if there was none.
--   f_read_end_timestamp  double?  [s]  When the last read ended, since the job's start; null if there was none.
--   f_write_end_timestamp  double?  [s]  When the last write ended, since the job's start; null if there was none.
--   f_posix_read_time  double?  [s]  Darshan's counter CP_F_POSIX_READ_TIME.
--   f_posix_write_time  double?  [s]  Darshan's counter CP_F_POSIX_WRITE_TIME.
--   f_posix_meta_time  double?  [s]  Darshan's counter CP_F_POSIX_META_TIME.
--   f_mpi_meta_time  double?  [s]  Darshan's counter CP_F_MPI_META_TIME.
--   f_mpi_read_time  double?  [s]  Darshan's counter CP_F_MPI_READ_TIME.
--   f_mpi_write_time  double?  [s]  Darshan's counter CP_F_MPI_WRITE_TIME.
--   f_max_read_time  double?  [s]  The longest read.
--   f_max_write_time  double?  [s]  The longest write.
--   f_fastest_rank_time  double?  [s]  The time of the rank with the least.
--   f_slowest_rank_time  double?  [s]  The time of the rank with the most.
--   f_variance_rank_time  double?  [s2]  The variance of the ranks' time.
--   f_variance_rank_bytes  double?  [bytes2]  The variance of the ranks' bytes.

select record, any_value(job) as job, any_value(file) as file, any_value(rank) as rank,
       max(nullif(value, -1)) filter (counter = 'CP_INDEP_OPENS') as "indep_opens",
       max(nullif(value, -1)) filter (counter = 'CP_COLL_OPENS') as "coll_opens",
       max(nullif(value, -1)) filter (counter = 'CP_INDEP_READS') as "indep_reads",
       max(nullif(value, -1)) filter (counter = 'CP_INDEP_WRITES') as "indep_writes",
       max(nullif(value, -1)) filter (counter = 'CP_COLL_READS') as "coll_reads",
       max(nullif(value, -1)) filter (counter = 'CP_COLL_WRITES') as "coll_writes",
       max(nullif(value, -1)) filter (counter = 'CP_SPLIT_READS') as "split_reads",
       max(nullif(value, -1)) filter (counter = 'CP_SPLIT_WRITES') as "split_writes",
       max(nullif(value, -1)) filter (counter = 'CP_NB_READS') as "nb_reads",
       max(nullif(value, -1)) filter (counter = 'CP_NB_WRITES') as "nb_writes",
       max(nullif(value, -1)) filter (counter = 'CP_SYNCS') as "syncs",
       max(nullif(value, -1)) filter (counter = 'CP_POSIX_READS') as "posix_reads",
       max(nullif(value, -1)) filter (counter = 'CP_POSIX_WRITES') as "posix_writes",
       max(nullif(value, -1)) filter (counter = 'CP_POSIX_OPENS') as "posix_opens",
       max(nullif(value, -1)) filter (counter = 'CP_POSIX_SEEKS') as "posix_seeks",
       max(nullif(value, -1)) filter (counter = 'CP_POSIX_STATS') as "posix_stats",
       max(nullif(value, -1)) filter (counter = 'CP_POSIX_MMAPS') as "posix_mmaps",
       max(nullif(value, -1)) filter (counter = 'CP_POSIX_FREADS') as "posix_freads",
       max(nullif(value, -1)) filter (counter = 'CP_POSIX_FWRITES') as "posix_fwrites",
       max(nullif(value, -1)) filter (counter = 'CP_POSIX_FOPENS') as "posix_fopens",
       max(nullif(value, -1)) filter (counter = 'CP_POSIX_FSEEKS') as "posix_fseeks",
       max(nullif(value, -1)) filter (counter = 'CP_POSIX_FSYNCS') as "posix_fsyncs",
       max(nullif(value, -1)) filter (counter = 'CP_POSIX_FDSYNCS') as "posix_fdsyncs",
       max(nullif(value, -1)) filter (counter = 'CP_INDEP_NC_OPENS') as "indep_nc_opens",
       max(nullif(value, -1)) filter (counter = 'CP_COLL_NC_OPENS') as "coll_nc_opens",
       max(nullif(value, -1)) filter (counter = 'CP_HDF5_OPENS') as "hdf5_opens",
       max(nullif(value, -1)) filter (counter = 'CP_COMBINER_NAMED') as "combiner_named",
       max(nullif(value, -1)) filter (counter = 'CP_COMBINER_DUP') as "combiner_dup",
       max(nullif(value, -1)) filter (counter = 'CP_COMBINER_CONTIGUOUS') as "combiner_contiguous",
       max(nullif(value, -1)) filter (counter = 'CP_COMBINER_VECTOR') as "combiner_vector",
       max(nullif(value, -1)) filter (counter = 'CP_COMBINER_HVECTOR_INTEGER') as "combiner_hvector_integer",
       max(nullif(value, -1)) filter (counter = 'CP_COMBINER_HVECTOR') as "combiner_hvector",
       max(nullif(value, -1)) filter (counter = 'CP_COMBINER_INDEXED') as "combiner_indexed",
       max(nullif(value, -1)) filter (counter = 'CP_COMBINER_HINDEXED_INTEGER') as "combiner_hindexed_integer",
       max(nullif(value, -1)) filter (counter = 'CP_COMBINER_HINDEXED') as "combiner_hindexed",
       max(nullif(value, -1)) filter (counter = 'CP_COMBINER_INDEXED_BLOCK') as "combiner_indexed_block",
       max(nullif(value, -1)) filter (counter = 'CP_COMBINER_STRUCT_INTEGER') as "combiner_struct_integer",
       max(nullif(value, -1)) filter (counter = 'CP_COMBINER_STRUCT') as "combiner_struct",
       max(nullif(value, -1)) filter (counter = 'CP_COMBINER_SUBARRAY') as "combiner_subarray",
       max(nullif(value, -1)) filter (counter = 'CP_COMBINER_DARRAY') as "combiner_darray",
       max(nullif(value, -1)) filter (counter = 'CP_COMBINER_F90_REAL') as "combiner_f90_real",
       max(nullif(value, -1)) filter (counter = 'CP_COMBINER_F90_COMPLEX') as "combiner_f90_complex",
       max(nullif(value, -1)) filter (counter = 'CP_COMBINER_F90_INTEGER') as "combiner_f90_integer",
       max(nullif(value, -1)) filter (counter = 'CP_COMBINER_RESIZED') as "combiner_resized",
       max(nullif(value, -1)) filter (counter = 'CP_HINTS') as "hints",
       max(nullif(value, -1)) filter (counter = 'CP_VIEWS') as "views",
       max(nullif(value, -1)) filter (counter = 'CP_MODE') as "mode",
       max(nullif(value, -1)) filter (counter = 'CP_BYTES_READ') as "bytes_read",
       max(nullif(value, -1)) filter (counter = 'CP_BYTES_WRITTEN') as "bytes_written",
       max(nullif(value, -1)) filter (counter = 'CP_MAX_BYTE_READ') as "max_byte_read",
       max(nullif(value, -1)) filter (counter = 'CP_MAX_BYTE_WRITTEN') as "max_byte_written",
       max(nullif(value, -1)) filter (counter = 'CP_CONSEC_READS') as "consec_reads",
       max(nullif(value, -1)) filter (counter = 'CP_CONSEC_WRITES') as "consec_writes",
       max(nullif(value, -1)) filter (counter = 'CP_SEQ_READS') as "seq_reads",
       max(nullif(value, -1)) filter (counter = 'CP_SEQ_WRITES') as "seq_writes",
       max(nullif(value, -1)) filter (counter = 'CP_RW_SWITCHES') as "rw_switches",
       max(nullif(value, -1)) filter (counter = 'CP_MEM_NOT_ALIGNED') as "mem_not_aligned",
       max(nullif(value, -1)) filter (counter = 'CP_MEM_ALIGNMENT') as "mem_alignment",
       max(nullif(value, -1)) filter (counter = 'CP_FILE_NOT_ALIGNED') as "file_not_aligned",
       max(nullif(value, -1)) filter (counter = 'CP_FILE_ALIGNMENT') as "file_alignment",
       max(nullif(value, -1)) filter (counter = 'CP_MAX_READ_TIME_SIZE') as "max_read_time_size",
       max(nullif(value, -1)) filter (counter = 'CP_MAX_WRITE_TIME_SIZE') as "max_write_time_size",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_0_100') as "size_read_0_100",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_100_1K') as "size_read_100_1k",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_1K_10K') as "size_read_1k_10k",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_10K_100K') as "size_read_10k_100k",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_100K_1M') as "size_read_100k_1m",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_1M_4M') as "size_read_1m_4m",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_4M_10M') as "size_read_4m_10m",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_10M_100M') as "size_read_10m_100m",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_100M_1G') as "size_read_100m_1g",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_1G_PLUS') as "size_read_1g_plus",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_0_100') as "size_write_0_100",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_100_1K') as "size_write_100_1k",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_1K_10K') as "size_write_1k_10k",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_10K_100K') as "size_write_10k_100k",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_100K_1M') as "size_write_100k_1m",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_1M_4M') as "size_write_1m_4m",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_4M_10M') as "size_write_4m_10m",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_10M_100M') as "size_write_10m_100m",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_100M_1G') as "size_write_100m_1g",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_1G_PLUS') as "size_write_1g_plus",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_AGG_0_100') as "size_read_agg_0_100",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_AGG_100_1K') as "size_read_agg_100_1k",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_AGG_1K_10K') as "size_read_agg_1k_10k",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_AGG_10K_100K') as "size_read_agg_10k_100k",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_AGG_100K_1M') as "size_read_agg_100k_1m",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_AGG_1M_4M') as "size_read_agg_1m_4m",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_AGG_4M_10M') as "size_read_agg_4m_10m",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_AGG_10M_100M') as "size_read_agg_10m_100m",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_AGG_100M_1G') as "size_read_agg_100m_1g",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_READ_AGG_1G_PLUS') as "size_read_agg_1g_plus",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_AGG_0_100') as "size_write_agg_0_100",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_AGG_100_1K') as "size_write_agg_100_1k",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_AGG_1K_10K') as "size_write_agg_1k_10k",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_AGG_10K_100K') as "size_write_agg_10k_100k",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_AGG_100K_1M') as "size_write_agg_100k_1m",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_AGG_1M_4M') as "size_write_agg_1m_4m",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_AGG_4M_10M') as "size_write_agg_4m_10m",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_AGG_10M_100M') as "size_write_agg_10m_100m",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_AGG_100M_1G') as "size_write_agg_100m_1g",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_WRITE_AGG_1G_PLUS') as "size_write_agg_1g_plus",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_READ_0_100') as "extent_read_0_100",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_READ_100_1K') as "extent_read_100_1k",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_READ_1K_10K') as "extent_read_1k_10k",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_READ_10K_100K') as "extent_read_10k_100k",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_READ_100K_1M') as "extent_read_100k_1m",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_READ_1M_4M') as "extent_read_1m_4m",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_READ_4M_10M') as "extent_read_4m_10m",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_READ_10M_100M') as "extent_read_10m_100m",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_READ_100M_1G') as "extent_read_100m_1g",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_READ_1G_PLUS') as "extent_read_1g_plus",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_WRITE_0_100') as "extent_write_0_100",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_WRITE_100_1K') as "extent_write_100_1k",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_WRITE_1K_10K') as "extent_write_1k_10k",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_WRITE_10K_100K') as "extent_write_10k_100k",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_WRITE_100K_1M') as "extent_write_100k_1m",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_WRITE_1M_4M') as "extent_write_1m_4m",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_WRITE_4M_10M') as "extent_write_4m_10m",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_WRITE_10M_100M') as "extent_write_10m_100m",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_WRITE_100M_1G') as "extent_write_100m_1g",
       max(nullif(value, -1)) filter (counter = 'CP_EXTENT_WRITE_1G_PLUS') as "extent_write_1g_plus",
       max(nullif(value, -1)) filter (counter = 'CP_STRIDE1_STRIDE') as "stride1_stride",
       max(nullif(value, -1)) filter (counter = 'CP_STRIDE2_STRIDE') as "stride2_stride",
       max(nullif(value, -1)) filter (counter = 'CP_STRIDE3_STRIDE') as "stride3_stride",
       max(nullif(value, -1)) filter (counter = 'CP_STRIDE4_STRIDE') as "stride4_stride",
       max(nullif(value, -1)) filter (counter = 'CP_STRIDE1_COUNT') as "stride1_count",
       max(nullif(value, -1)) filter (counter = 'CP_STRIDE2_COUNT') as "stride2_count",
       max(nullif(value, -1)) filter (counter = 'CP_STRIDE3_COUNT') as "stride3_count",
       max(nullif(value, -1)) filter (counter = 'CP_STRIDE4_COUNT') as "stride4_count",
       max(nullif(value, -1)) filter (counter = 'CP_ACCESS1_ACCESS') as "access1_access",
       max(nullif(value, -1)) filter (counter = 'CP_ACCESS2_ACCESS') as "access2_access",
       max(nullif(value, -1)) filter (counter = 'CP_ACCESS3_ACCESS') as "access3_access",
       max(nullif(value, -1)) filter (counter = 'CP_ACCESS4_ACCESS') as "access4_access",
       max(nullif(value, -1)) filter (counter = 'CP_ACCESS1_COUNT') as "access1_count",
       max(nullif(value, -1)) filter (counter = 'CP_ACCESS2_COUNT') as "access2_count",
       max(nullif(value, -1)) filter (counter = 'CP_ACCESS3_COUNT') as "access3_count",
       max(nullif(value, -1)) filter (counter = 'CP_ACCESS4_COUNT') as "access4_count",
       max(nullif(value, -1)) filter (counter = 'CP_DEVICE') as "device",
       max(nullif(value, -1)) filter (counter = 'CP_SIZE_AT_OPEN') as "size_at_open",
       max(nullif(value, -1)) filter (counter = 'CP_FASTEST_RANK') as "fastest_rank",
       max(nullif(value, -1)) filter (counter = 'CP_FASTEST_RANK_BYTES') as "fastest_rank_bytes",
       max(nullif(value, -1)) filter (counter = 'CP_SLOWEST_RANK') as "slowest_rank",
       max(nullif(value, -1)) filter (counter = 'CP_SLOWEST_RANK_BYTES') as "slowest_rank_bytes",
       max(if(seconds > 0, seconds, null)) filter (counter = 'CP_F_OPEN_TIMESTAMP') as "f_open_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'CP_F_READ_START_TIMESTAMP') as "f_read_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'CP_F_WRITE_START_TIMESTAMP') as "f_write_start_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'CP_F_CLOSE_TIMESTAMP') as "f_close_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'CP_F_READ_END_TIMESTAMP') as "f_read_end_timestamp",
       max(if(seconds > 0, seconds, null)) filter (counter = 'CP_F_WRITE_END_TIMESTAMP') as "f_write_end_timestamp",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'CP_F_POSIX_READ_TIME') as "f_posix_read_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'CP_F_POSIX_WRITE_TIME') as "f_posix_write_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'CP_F_POSIX_META_TIME') as "f_posix_meta_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'CP_F_MPI_META_TIME') as "f_mpi_meta_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'CP_F_MPI_READ_TIME') as "f_mpi_read_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'CP_F_MPI_WRITE_TIME') as "f_mpi_write_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'CP_F_MAX_READ_TIME') as "f_max_read_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'CP_F_MAX_WRITE_TIME') as "f_max_write_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'CP_F_FASTEST_RANK_TIME') as "f_fastest_rank_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'CP_F_SLOWEST_RANK_TIME') as "f_slowest_rank_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'CP_F_VARIANCE_RANK_TIME') as "f_variance_rank_time",
       max(if(seconds >= 0, seconds, null)) filter (counter = 'CP_F_VARIANCE_RANK_BYTES') as "f_variance_rank_bytes"
from darshan_counter
where module = 'CP'
group by record
