-- Time in libraries
--
-- One row per job and module of HDF5 and PnetCDF that the log has: the time in their calls, added up over ranks. These calls
-- enclose those of MPI-IO and POSIX that they make, and are never added to them.
--
-- Source: darshan-util.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   log            string  [name]      The log's file.
--   module         string  [name]      H5F (files), H5D (data sets), PNETCDF_FILE or PNETCDF_VAR (variables).
--   objects        int64   [files]     Files, data sets or variables that have a record.
--   read_s         double  [s]         Time in reads.
--   write_s        double  [s]         Time in writes.
--   meta_s         double  [s]         Time in opens, closes, flushes and the like.
--   wait_s         double  [s]         Time in waits for non-blocking calls, of PnetCDF's files.
--   bytes_read     int64?  [bytes]     What reads moved; null if that is not counted.
--   bytes_written  int64?  [bytes]     What writes moved, likewise.
--
-- Shown:
--   module
--   objects
--   reading = read_s
--   writing = write_s
--   other   = meta_s
--   waiting = wait_s if wait_s
--   bytes read
--   bytes written

select log, module, count(distinct file) as objects,
       coalesce(sum(seconds) filter (ends_with(counter, '_F_READ_TIME')), 0) as read_s,
       coalesce(sum(seconds) filter (ends_with(counter, '_F_WRITE_TIME')), 0) as write_s,
       coalesce(sum(seconds) filter (ends_with(counter, '_F_META_TIME')), 0) as meta_s,
       coalesce(sum(seconds) filter (ends_with(counter, '_F_WAIT_TIME')), 0) as wait_s,
       whole_sum(if(ends_with(counter, '_BYTES_READ'), value, null)) as bytes_read,
       whole_sum(if(ends_with(counter, '_BYTES_WRITTEN'), value, null)) as bytes_written
from darshan_counter
join darshan_job using (job)
where module in ('H5F', 'H5D', 'PNETCDF_FILE', 'PNETCDF_VAR') and (value >= 0 or (seconds >= 0 and isfinite(seconds)))
group by job, log, module
order by job, module
