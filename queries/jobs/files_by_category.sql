-- Files of jobs by use and file system
--
-- One row per file system and way of use: whether files are only read, only written or both, by one rank, some or all.
--
-- Source: PyDarshan's summary, data access by category.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   mount          string   [name]   Where the file system is mounted; (unknown) if the log lists none that has the file.
--   type           string?  [name]   Its type.
--   used           string   [name]   read only, written only, read and written, or only opened.
--   sharing        string   [name]   one rank, some ranks, or all ranks.
--   files          int64    [files]  Files.
--   io_s           double   [s]      Time in their calls, added up over ranks.
--   bytes_read     int64?   [bytes]  What reads moved.
--   bytes_written  int64?   [bytes]  What writes moved.
--   largest_bytes  int64?   [bytes]  The end of the last byte that POSIX read or wrote, of the largest.
--
-- Shown:
--   file system = mount
--   type
--   used
--   by          = sharing
--   files
--   time        = io_s
--   bytes read
--   bytes written
--   largest     = largest_bytes

with reached as (
    select job, file, max(span_bytes) as span_bytes from job_request group by job, file
)
select coalesce(mount, '(unknown)') as mount, any_value(type) as type, used, sharing, count(*) as files,
       sum(read_s + write_s + meta_s) as io_s, whole_sum(bytes_read) as bytes_read, whole_sum(bytes_written) as bytes_written,
       max(span_bytes) as largest_bytes
from job_file_place
join job_file using (job, file)
left join reached using (job, file)
group by mount, used, sharing
order by io_s desc, mount, used, sharing
