-- Bytes of Lustre's targets over time
--
-- What the object storage targets (OSTs) get in windows of equal length, from extended tracing and the stripes of files: an access
-- is divided over the targets of its file as the stripes are, and counts in the window in which it begins. Requests of POSIX and
-- stdio count, which reach the file system. Files of several components, whose stripes are not of one size, are left out. The
-- 64 targets with most bytes.
--
-- Source: DXT Explorer (Bez and others 2021), its view of OSTs; the division over stripes is iotrace's.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   target         int64  [identifier]  The target's number.
--   window         int64  [position]    The window's number, from 0.
--   start_ns       int64  [ns]          When it starts, since the first access.
--   end_ns         int64  [ns]          When the next one starts.
--   requests       int64  [requests]    Accesses that touch the target.
--   bytes_read     int64  [bytes]       What reads moved.
--   bytes_written  int64  [bytes]       What writes moved.
--
-- Shown:
--   target
--   start = start_ns
--   end   = end_ns
--   requests
--   bytes read
--   bytes written

with first_record as (
    select file, min(record) as record from darshan_counter where module = 'LUSTRE' and file is not null group by file
), striped as (
    select file, max(value) filter (counter = 'LUSTRE_COMP1_STRIPE_SIZE') as stripe_bytes
    from darshan_counter
    join first_record using (file, record)
    group by file
    having coalesce(max(value) filter (counter = 'LUSTRE_NUM_COMPONENTS'), 1) = 1
       and max(value) filter (counter = 'LUSTRE_COMP1_STRIPE_SIZE') > 0
), placed as (
    select file, try_cast(string_split(counter, '_')[-1] as bigint) as place, value as target,
           count(*) over (partition by file) as stripes
    from darshan_counter
    join first_record using (file, record)
    where counter like 'LUSTRE_COMP1_OST_ID_%' and value >= 0
), moves as (
    select file, time_ns, operation, "offset" as first, "offset" + length as after
    from parallel_io
    where layer in ('posix', 'stdio') and operation in ('read', 'write') and length > 0 and "offset" >= 0 and time_ns is not null
      and "offset"::hugeint + length < 9223372036854775807
), span as (
    select greatest(1, ceil((max(time_ns) + 1) / 100))::bigint as width_ns from moves
), touched as (
    -- each stripe of the file that an access touches, of one target once
    select moves.*, stripe_bytes, stripes, unnest(range(
               first // stripe_bytes, least((after - 1) // stripe_bytes, first // stripe_bytes + stripes - 1) + 1
           )) % stripes as place
    from moves
    join striped using (file)
    join (select distinct file, stripes from placed) using (file)
    where stripe_bytes <= 9223372036854775807 // stripes // 2
), divided as (
    -- of the bytes before a place, those in whole rounds of the stripes, and in the last round
    select target, time_ns // width_ns as "window", width_ns, operation,
           (after // (stripe_bytes * stripes) - first // (stripe_bytes * stripes)) * stripe_bytes
           + least(greatest(after % (stripe_bytes * stripes) - place * stripe_bytes, 0), stripe_bytes)
           - least(greatest(first % (stripe_bytes * stripes) - place * stripe_bytes, 0), stripe_bytes) as bytes
    from touched
    join placed using (file, place, stripes)
    cross join span
), summed as (
    select target, "window", any_value(width_ns) as width_ns, count(*) as requests,
           coalesce(whole_sum(if(operation = 'read', bytes, null)), 0) as bytes_read,
           coalesce(whole_sum(if(operation = 'write', bytes, null)), 0) as bytes_written
    from divided
    where bytes > 0
    group by target, "window"
), most as (
    select target from summed group by target order by sum(bytes_read::double + bytes_written) desc, target limit 64
)
select target, "window", "window" * width_ns as start_ns, ("window" + 1) * width_ns as end_ns, requests, bytes_read, bytes_written
from summed
join most using (target)
order by target, "window"
