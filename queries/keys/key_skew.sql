-- Skew of requests over keys
--
-- How unevenly the requests to a cache spread over keys, for all requests and by operation: hot keys, keys requested once,
-- and the fit of a Zipf distribution, in which the requests for the key at rank r are proportional to r to the power of
-- minus the exponent (see block_skew, which says it of blocks). Requests that delete a key are left out. Of more than
-- 1,835,008 keys a sample is followed.
--
-- Source: iotrace; libCacheSim's trace analyzer has the share of one-hit wonders and the fit.
-- Family: key_io
--
-- Columns:
--   operation         string   [name]      all, read, write or unknown: which requests are counted.
--   keys              int64    [keys]      Keys with such requests.
--   requests          int64    [requests]  How many there are.
--   once_percent      double   [percent]   Keys that are requested so once (one-hit wonders), of those with such requests.
--   again_percent     double   [percent]   Keys that are requested so more than once, of all keys.
--   top_1_percent     double   [percent]   The share of the requests for the most popular 1 % of the keys (rounded up to whole keys).
--   top_10_percent    double   [percent]   That of the most popular 10 %.
--   most_requests     int64    [requests]  Requests for the most popular key.
--   zipf_exponent     double?  [ratio]     The exponent of the fit; missing for fewer than 10 keys.
--   zipf_error        double?  [ratio]     By which factor requests lie off the fit, as the root of the mean squared logarithm says: 1 if all lie on it.
--   zipf_r_squared    double?  [ratio]     The share of the variance of the logarithms that the fit explains; missing where all keys have as many requests.
--   one_in            int64    [keys]      1 if all keys were followed; else one key in this many was, and counts for as many.
--
-- Shown:
--   operation
--   keys
--   requests
--   once %         = once_percent
--   again %        = again_percent
--   top 1 %        = top_1_percent
--   top 10 %       = top_10_percent
--   most requests
--   Zipf exponent  = zipf_exponent
--   Zipf error     = zipf_error
--   one in

select operation, blocks as keys, accesses as requests, once_percent, again_percent, top_1_percent, top_10_percent,
       most_accesses as most_requests, zipf_exponent, zipf_error, zipf_r_squared, one_in
from block_skew
where (select count(*) > 0 from key_io)
order by list_position(['all', 'read', 'write', 'unknown'], operation)
