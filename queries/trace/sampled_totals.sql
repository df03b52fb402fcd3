-- Estimated totals of all files
--
-- Of a recording of a sample of the files (iotrace record --sample-files): what the calls on their data moved, and an
-- estimate of the same for all files. Files are in the sample by a hash of device and inode, each with the same
-- probability p, so that a total of the sample divided by p is right on average, and its variance is estimated by
-- (1 - p) / p² times the sum of the squares of the files' amounts (Horvitz and Thompson). Few files with most of the bytes
-- make the error large, and unknown where the sample lacks them. Empty of a trace of all files.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   quantity        string  [name]     files (of which data were requested), read_requests, write_requests, bytes_read or bytes_written.
--   sampled         int64   [count]    That of the sampled files, of bytes in bytes.
--   estimated       double  [count]    The estimate for all files.
--   standard_error  double  [count]    Its standard error: the true total is within two of these in about 19 of 20 samples, if no few files have most of it.
--
-- Shown:
--   quantity
--   sampled
--   estimated
--   standard error

with per_file as (
    select file, count(*) filter (operation = 'read') as read_requests, count(*) filter (operation = 'write') as write_requests,
           coalesce(sum(length) filter (operation = 'read'), 0)::bigint as bytes_read,
           coalesce(sum(length) filter (operation = 'write'), 0)::bigint as bytes_written
    from reference
    where operation in ('read', 'write')
    group by file
),
amounts as (
    unpivot (select 1::bigint as files, read_requests, write_requests, bytes_read, bytes_written from per_file)
    on files, read_requests, write_requests, bytes_read, bytes_written into name quantity value amount
)
select quantity, sum(amount)::bigint as sampled, sum(amount) / sampled_files_share() as estimated,
       sqrt((1 - sampled_files_share()) * sum(amount::double ** 2)) / sampled_files_share() as standard_error
from amounts
where sampled_files_share() is not null
group by quantity
order by list_position(['files', 'read_requests', 'write_requests', 'bytes_read', 'bytes_written'], quantity)
