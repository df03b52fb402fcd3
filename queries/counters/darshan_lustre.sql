-- Counters of module LUSTRE
--
-- One row per record of module LUSTRE in a log of Darshan, with a column for each of its counters. A record is of a file
-- and of a rank, or of all ranks. What the record's version does not have, and what was not observed, is null.
--
-- Source: darshan-util.
-- Family: darshan_job, parallel_io
--
-- Columns:
--   record  int64  [identifier]  As in table darshan_record.
--   job  int32  [identifier]  The log.
--   file  int32?  [identifier]  The file.
--   rank  int64  [identifier]  The rank; -1 for all of them together.
--   osts  int64?  [number]  Darshan's counter LUSTRE_OSTS.
--   mdts  int64?  [number]  Darshan's counter LUSTRE_MDTS.
--   stripe_offset  int64?  [number]  Darshan's counter LUSTRE_STRIPE_OFFSET.
--   num_components  int64?  [number]  Darshan's counter LUSTRE_NUM_COMPONENTS.
--   num_stripes  int64?  [number]  Darshan's counter LUSTRE_NUM_STRIPES.
--   comp1_stripe_size  int64?  [number]  Darshan's counter LUSTRE_COMP1_STRIPE_SIZE.
--   comp1_stripe_count  int64?  [number]  Darshan's counter LUSTRE_COMP1_STRIPE_COUNT.

select record, any_value(job) as job, any_value(file) as file, any_value(rank) as rank,
       max(nullif(value, -1)) filter (counter = 'LUSTRE_OSTS') as "osts",
       max(nullif(value, -1)) filter (counter = 'LUSTRE_MDTS') as "mdts",
       max(nullif(value, -1)) filter (counter = 'LUSTRE_STRIPE_OFFSET') as "stripe_offset",
       max(nullif(value, -1)) filter (counter = 'LUSTRE_NUM_COMPONENTS') as "num_components",
       max(nullif(value, -1)) filter (counter = 'LUSTRE_NUM_STRIPES') as "num_stripes",
       max(nullif(value, -1)) filter (counter = 'LUSTRE_COMP1_STRIPE_SIZE') as "comp1_stripe_size",
       max(nullif(value, -1)) filter (counter = 'LUSTRE_COMP1_STRIPE_COUNT') as "comp1_stripe_count"
from darshan_counter
where module = 'LUSTRE'
group by record
