-- What calls moved, and what the model adds
--
-- The bytes of the requests by where they come from. What calls moved are the reads and writes of datafiles and
-- disks, and the loader's reads of pieces of executables. The model of the file system adds what no call moves: a
-- whole read of each executable that is run and each library that is mapped, the directories and inodes of
-- look-ups, and the inode writes that note an access. Mappings may read what they map, at most once each time:
-- program text under model exec=demand, data too under mmap=range.
--
-- Source: iotrace; the model is that of Richardson 1994, section 2.3.
-- Family: syscall
--
-- Columns:
--   origin         string   [name]      calls, mappings or model.
--   part           string   [name]      data, pieces of executables, mapped programs, whole executables, directories, inodes or access times.
--   requests       int64    [requests]  The requests.
--   bytes_read     int64    [bytes]     What its reads move.
--   bytes_written  int64    [bytes]     What its writes and updates move.
--   bytes_percent  double?  [percent]   Its share of all bytes.
--
-- Shown:
--   origin
--   part
--   requests
--   bytes read
--   bytes written
--   bytes % = bytes_percent

with moved as (
    select place, requests, bytes_read, bytes_written from executable_request
    union all
    select unnest(case when type = 'directory' then [5, 3] when type = 'inode' then [6, 3, 7] else [1, 3] end),
           unnest([requests - requests_unmoved - if(type = 'inode', updates, 0), requests_unmoved, updates]),
           unnest([bytes_read - bytes_unmoved, bytes_unmoved, 0]),
           unnest([bytes_written + if(type = 'inode', 0, bytes_updated), 0, bytes_updated])
    from static_object
    where type <> 'executable'
),
parted as (
    select place, sum(requests) as requests, coalesce(sum(bytes_read), 0) as bytes_read,
           coalesce(sum(bytes_written), 0) as bytes_written
    from moved
    where requests > 0 and place is not null
    group by place
)
select case when place <= 2 then 'calls' when place = 3 then 'mappings' else 'model' end as origin,
       ['data', 'pieces of executables', 'mapped programs', 'whole executables', 'directories', 'inodes', 'access times'][place] as part,
       requests, bytes_read, bytes_written,
       percent_of(bytes_read + bytes_written, sum(bytes_read + bytes_written) over ()) as bytes_percent
from parted
order by place
