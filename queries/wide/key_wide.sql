-- Requests for keys with names and wall-clock time
--
-- One row per row of table key_io, with all that a question about requests to a cache or store usually needs: the key and
-- the tenant by their names in the trace, and wall-clock time. Start here for questions about keys.
--
-- Source: iotrace.
-- Family: key_io
--
-- Columns:
--   key          string     [name]        The key as the trace has it.
--   operation    string?    [name]        get, set, add, replace, append, delete or another operation as the trace names it; null if the format does not state it.
--   kind         string?    [name]        What the operation does: read, write or delete; null if it is not stated.
--   bytes        int64?     [bytes]       The size of the object; null if the trace does not state it.
--   hit          bool?      [truth]       Whether the traced cache had the object; null if the trace does not state it.
--   tenant       string?    [name]        The client, application or volume that asked; null if the trace does not state it.
--   at           timestamp? [UTC]         When it was issued, to the microsecond; null if the trace has no wall-clock time. "at" is a word of SQL: it needs double quotes; started_at is the same.
--   duration     interval?  [time]        How long it took, to the microsecond; null if the trace does not state it.
--   duration_ns  int64?     [ns]          How long it took; null if the trace does not state it.
--   ttl_ns       int64?     [ns]          How long the object may be served after it is set; null if it does not expire or the trace does not state it.
--   started_at   timestamp? [UTC]         The same as "at".
--   time_ns      int64?     [ns]          When it was issued, since the first event of the trace; null if the trace has no times.
--   request      int64?     [identifier]  The request for several keys that the row belongs to; null where each row is a request.
--   key_number   int64      [identifier]  The key's number, column key of table key_io, dense from 0 in the order of first sight.
--   seq          int64      [position]    Its row in table key_io.

select coalesce(key_name.name, unsigned_text(key_name.number), key_io.key::varchar) as key, key_io.operation,
       key_operation(key_io.operation) as kind, key_io.size as bytes, key_io.hit, tenant_name.name as tenant,
       wall_clock(key_io.time_ns) as "at", to_microseconds(key_io.duration_ns // 1000) as duration, key_io.duration_ns,
       key_io.ttl_ns, wall_clock(key_io.time_ns) as started_at, key_io.time_ns, key_io.request,
       key_io.key as key_number, key_io.seq
from key_io
left join key_name on key_name.key = key_io.key
left join tenant_name on tenant_name.tenant = key_io.tenant
