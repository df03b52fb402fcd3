-- Tenants
--
-- The requests of each tenant (client, application or volume) of a trace of a cache, most first (parameter top): what it
-- reads, how many keys, how large objects, and how often the traced cache had them. Requests that delete a key are left
-- out.
--
-- Source: iotrace.
-- Family: key_io
--
-- Columns:
--   tenant            string   [name]      The tenant; its number where the trace's store has no names.
--   requests          int64    [requests]  Its requests.
--   requests_percent  double   [percent]   Their share of the requests of all tenants.
--   read_percent      double?  [percent]   The share that reads, of its requests with a known operation; missing where there are none.
--   keys              int64    [keys]      Keys that it requested.
--   once_percent      double   [percent]   Keys that it requested once, of those.
--   bytes             int64?   [bytes]     The sizes of the objects that it requested, each time; missing where no size is known.
--   average_bytes     double?  [bytes]     The average request's, of those with a known size.
--   hit_percent       double?  [percent]   Requests that hit in the traced cache, of those of which the trace says so.
--
-- Shown:
--   tenant
--   requests
--   requests %      = requests_percent
--   reads %         = read_percent
--   keys
--   once %          = once_percent
--   bytes
--   average request = average_bytes
--   hits %          = hit_percent

with request_of_key as (
    select tenant, key, count(*) as requests, count(operation) as stated,
           count(*) filter (key_operation(operation) = 'read') as reads, sum(size) as bytes, count(size) as sized,
           count(hit) as judged, count(*) filter (hit) as hits
    from key_io
    where key_operation(operation) is distinct from 'delete' and tenant is not null
    group by tenant, key
),
by_tenant as (
    select tenant, sum(requests) as requests, sum(stated) as stated, sum(reads) as reads, count(*) as keys,
           count(*) filter (requests = 1) as once, sum(bytes) as bytes, sum(sized) as sized, sum(judged) as judged,
           sum(hits) as hits
    from request_of_key
    group by tenant
)
select coalesce(name, by_tenant.tenant::varchar) as tenant, requests,
       percent_of(requests, sum(requests) over ()) as requests_percent,
       percent_of(reads, stated) as read_percent, keys, percent_of(once, keys) as once_percent,
       bytes::bigint as bytes, ratio_of(bytes, sized) as average_bytes, percent_of(hits, judged) as hit_percent
from by_tenant
left join tenant_name on tenant_name.tenant = by_tenant.tenant
order by requests desc, by_tenant.tenant
limit least(parameter_top(), 200)
