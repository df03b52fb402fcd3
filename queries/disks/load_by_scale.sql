-- Rates and burstiness by scale
--
-- Requests and bytes a second in windows of several lengths, the shortest a power of ten of which at most 100,000 reach the
-- end of the trace (view load_bin). Only whole windows count. The index of dispersion is the variance of the requests of a
-- window over their mean: 1 at all scales for independent arrivals (Poisson); what grows with the scale is bursty at each.
--
-- Source: iotrace; the index of dispersion for counts is that of Cox and Lewis (1966).
-- Family: disk_io
--
-- Columns:
--   width_ns              int64    [ns]                   The windows' length.
--   windows               int64    [windows]              How many there are.
--   idle_percent          double   [percent]              Windows without any request.
--   mean_requests_per_s   double   [requests per second]  The mean.
--   p50_requests_per_s    double   [requests per second]  Half of the windows have at most this.
--   p95_requests_per_s    double   [requests per second]  95 % have at most this.
--   p99_requests_per_s    double   [requests per second]  99 % have at most this.
--   peak_requests_per_s   double   [requests per second]  The busiest window.
--   mean_bytes_per_s      double   [bytes per second]     The mean.
--   p50_bytes_per_s       double   [bytes per second]     Half of the windows have at most this.
--   p95_bytes_per_s       double   [bytes per second]     95 % have at most this.
--   p99_bytes_per_s       double   [bytes per second]     99 % have at most this.
--   peak_bytes_per_s      double   [bytes per second]     The busiest window.
--   index_of_dispersion   double?  [ratio]                Variance over mean of the requests of a window; missing for a single window.
--
-- Shown:
--   width                = width_ns
--   windows
--   idle                 = idle_percent
--   mean requests/s      = mean_requests_per_s
--   p50 requests/s       = p50_requests_per_s
--   p95 requests/s       = p95_requests_per_s
--   p99 requests/s       = p99_requests_per_s
--   peak requests/s      = peak_requests_per_s
--   mean bytes/s         = mean_bytes_per_s
--   p50 bytes/s          = p50_bytes_per_s
--   p95 bytes/s          = p95_bytes_per_s
--   p99 bytes/s          = p99_bytes_per_s
--   peak bytes/s         = peak_bytes_per_s
--   index of dispersion

with step as (
    select unnest([1, 10, 100, 1000, 10000]) as step
),
scale as (
    select distinct step, width_ns * step as width_ns, windows // step as windows
    from load_bin
    cross join step
    where step = 1 or windows // step >= 10
),
joined as (
    select step, "window" // step as "window", sum(requests) as requests, sum(bytes) as bytes
    from load_bin
    cross join step
    group by all
),
complete as (
    select step, width_ns, windows, unnest(range(windows)) as "window" from scale
),
load as (
    select complete.width_ns, complete.windows, coalesce(requests, 0) as requests, coalesce(bytes, 0) as bytes,
           1e9 * coalesce(requests, 0) / width_ns as requests_per_s, 1e9 * coalesce(bytes, 0) / width_ns as bytes_per_s
    from complete
    left join joined using (step, "window")
)
select width_ns, windows, percent_of(count(*) filter (requests = 0), count(*)) as idle_percent,
       1e9 * sum(requests) / (windows * width_ns) as mean_requests_per_s,
       quantile_disc(requests_per_s, 0.5) as p50_requests_per_s,
       quantile_disc(requests_per_s, 0.95) as p95_requests_per_s,
       quantile_disc(requests_per_s, 0.99) as p99_requests_per_s,
       max(requests_per_s) as peak_requests_per_s,
       1e9 * sum(bytes) / (windows * width_ns) as mean_bytes_per_s,
       quantile_disc(bytes_per_s, 0.5) as p50_bytes_per_s,
       quantile_disc(bytes_per_s, 0.95) as p95_bytes_per_s,
       quantile_disc(bytes_per_s, 0.99) as p99_bytes_per_s,
       max(bytes_per_s) as peak_bytes_per_s,
       (windows * sum(requests * requests) - sum(requests) * sum(requests))::double
           / nullif((windows - 1) * sum(requests), 0) as index_of_dispersion
from load
group by width_ns, windows
order by width_ns
