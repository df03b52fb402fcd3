-- With {number} more memory, most waits for reads are gone{others}
--
-- Pages that a program reads again had left the page cache in between, since programs, the kernel's objects and other files
-- need the memory, too. The model of Linux's page cache predicts how many pages more memory does not have to read from the
-- device. At stake is the wait for these, as long for each page as in the recording. The file is the one of which most pages
-- came in more than once.
--
-- Source: iotrace; docs/concepts/memory.md.
-- Family: syscall
-- Change: Give it more memory
-- Do: Raise the limit of the container (memory.max) or run fewer programs beside it; or read less, or in an order in which what is read together fits.
-- Check: iotrace memory shows reads at each limit; record again with the higher limit: reads from the device are fewer.
-- Confidence: medium. The model was compared with the kernel (docs/groundtruth.md); the wait for a page is the recording's mean.
--
-- Thresholds:
--   least_share  0.5  Part of the waits that is gone with the least of the larger limits that are tried.

with now as (select * from predicted_limits where is_recorded),
larger as (
    select predicted_limits.limit_bytes - now.limit_bytes as more_bytes, now.wait_s - predicted_limits.wait_s as saved_s,
           4096 * (now.page_reads_linux - predicted_limits.page_reads_linux) as saved_bytes
    from predicted_limits
    cross join now
    where predicted_limits.limit_bytes > now.limit_bytes and predicted_limits.page_reads_high < now.page_reads_low
          and predicted_limits.wait_s <= (1 - $least_share) * now.wait_s
),
came_again as ( -- at least: pages that came in, less those of the whole file
    select file, sum(page_cache_event.pages) - max(page_cache_event.page + page_cache_event.pages) as again
    from page_cache_event
    join opened_file using (device_number, inode)
    where event = 'added'
    group by file
)
select (select any_value(path) from opened_file where file = (select arg_max(file, again) from came_again where again > 0)) as path,
       null as process, more_bytes as number, 'bytes' as unit, saved_s as at_stake_s, saved_bytes as at_stake_bytes
from larger
qualify more_bytes = min(more_bytes) over ()
