-- Limits that advice compares
--
-- One row per limit, the recording's own among them, of recordings with a limit and the device's times: what
-- Linux reads from the device, as `iotrace memory` predicts it. Advice fills this view before its rules are asked; it is
-- empty elsewhere.
--
-- Source: iotrace.
-- Family: syscall
--
-- Columns:
--   limit_bytes       int64   [bytes]       As in result page_cache_memory.
--   page_reads_linux  int64   [4-KB pages]  As in result page_cache_memory.
--   page_reads_low    int64   [4-KB pages]  As in result page_cache_memory.
--   page_reads_high   int64?  [4-KB pages]  As in result page_cache_memory.
--   wait_s            double  [s]           As in result page_cache_memory.
--   is_recorded       bool    [yes or no]   Whether that is the recording's own limit.

select 0::bigint as limit_bytes, 0::bigint as page_reads_linux, 0::bigint as page_reads_low, 0::bigint as page_reads_high,
       0.0::double as wait_s, false as is_recorded
where false
