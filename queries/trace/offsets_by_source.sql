-- Where offsets come from
--
-- How far the places of the requests can be trusted: given in the call, followed through the file pointer,
-- relative (followed from an unknown place: a descriptor from before the trace, an end of unknown size), estimated (an
-- append at the size known so far), or unknown.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   offset_source     string?  [name]      explicit, tracked, relative, estimated or unknown; missing for look-ups.
--   requests          int64    [requests]  Requests for datafiles, executables and disks.
--   requests_percent  double   [percent]   Their share.
--   bytes             int64    [bytes]     What they moved.
--
-- Shown:
--   offset source
--   requests
--   requests % = requests_percent
--   bytes

select offset_source, count(*) as requests,
       percent_of(count(*), sum(count(*)) over ()) as requests_percent,
       coalesce(sum(length), 0) as bytes
from reference
where operation in ('read', 'write') and type not in ('inode', 'directory')
group by offset_source
order by requests desc, offset_source
