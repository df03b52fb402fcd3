//! Page caches of several limits over one stream of events.

use super::fork;
use super::page_cache::{Counts, PageCache};
use super::references::References;
use super::settings::{Limit, Settings};
use crate::cache::file_events::{Advice, Event, Intake, Range, PAGE_BYTES};
use crate::columns::{column, optional_column, table, whole_column};
use crate::error::{At, Error};
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, DictionaryArray, PrimitiveArray, RecordBatch, StringArray};

/// The most pages that events may touch: four terabytes.
pub const MOST_PAGES: u64 = 1 << 30;

/// No machine has a processor of a higher number.
const LAST_PROCESSOR: u32 = 65_535;

/// What the events were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Reads, writes and faults.
    pub requests: u64,
    /// Those left out, as their file, offset or length is unknown.
    pub unplaced: u64,
    /// Pages that they touch.
    pub pages: u64,
    /// Pages read past the cache.
    pub direct_pages: u64,
    /// Pages of ranges that are mapped.
    pub mapped_pages: u64,
}

/// Page caches of several limits.
#[derive(Debug)]
pub struct Simulator {
    caches: Vec<PageCache>,
    limits: Vec<Limit>,
    references: References,
    intake: Intake,
    tally: Tally,
    rows: u64,
    threads: usize,
}

type Integers<T> = PrimitiveArray<T>;

struct Columns<'a> {
    event: &'a DictionaryArray<Int32Type>,
    names: &'a StringArray,
    file: &'a Integers<Int32Type>,
    open: &'a Integers<Int32Type>,
    offset: &'a Integers<Int64Type>,
    length: &'a Integers<Int64Type>,
    requested: &'a Integers<Int64Type>,
    file_size: &'a Integers<Int64Type>,
    time_ns: Option<&'a Integers<Int64Type>>,
}

impl<'a> Columns<'a> {
    fn new(batch: &'a RecordBatch) -> Result<Self, Error> {
        let event: &DictionaryArray<Int32Type> = whole_column(batch, "event")?;
        let names = event.values().as_any().downcast_ref::<StringArray>();
        Ok(Columns {
            event,
            names: names.ok_or_else(|| Error::of("column event is not a dictionary of strings"))?,
            file: column(batch, "file")?,
            open: column(batch, "open")?,
            offset: column(batch, "offset")?,
            length: column(batch, "length")?,
            requested: column(batch, "requested")?,
            file_size: column(batch, "file_size")?,
            time_ns: optional_column(batch, "time_ns")?,
        })
    }

    fn name(&self, row: usize) -> Result<&'a str, Error> {
        let key = self.event.key(row).filter(|&key| key < self.names.len() && self.names.is_valid(key));
        key.map(|key| self.names.value(key)).ok_or_else(|| Error::of("an event has no name"))
    }
}

fn given(column: &Integers<Int64Type>, row: usize) -> Option<i64> {
    column.is_valid(row).then(|| column.value(row))
}

/// A number that is not negative.
fn positive(column: &Integers<Int64Type>, row: usize, name: &str) -> Result<Option<u64>, Error> {
    match given(column, row) {
        None => Ok(None),
        Some(value) => {
            u64::try_from(value).map(Some).map_err(|_| Error::of(format!("{name} {value} is negative")))
        }
    }
}

/// The first and the last byte of advice on a range, which reaches the file's end where its length is zero or unknown.
fn advised(offset: Option<u64>, length: Option<u64>) -> Result<(u64, u64), Error> {
    let offset = offset.unwrap_or(0);
    let end = match length.filter(|&length| length > 0) {
        Some(length) => offset.checked_add(length).filter(|&end| end <= i64::MAX as u64),
        None => Some(i64::MAX as u64),
    };
    let end = end.ok_or_else(|| Error::of("advice ends beyond 2^63"))?;
    Ok((offset, (end - 1).max(offset)))
}

impl Simulator {
    /// Empty caches that process the stream on `threads` threads.
    ///
    /// # Errors
    /// If a limit has less than one page, or a setting is out of its bounds.
    pub fn new(settings: &Settings, limits: &[Limit], threads: usize) -> Result<Self, Error> {
        if limits.iter().any(|limit| limit.pages == 0) {
            return Err(Error::of("a limit must have at least one page"));
        }
        if settings.readahead_pages > 1 << 20 || settings.device_request_pages > 1 << 20 {
            return Err(Error::of("a read-ahead window has at most 4 GB"));
        }
        let starts = limits.iter().filter_map(|limit| limit.dirty_start_percent);
        if starts.chain([settings.dirty_background_percent]).any(|percent| percent > 100) {
            return Err(Error::of("a share of the memory is at most 100 %"));
        }
        Ok(Simulator {
            caches: if limits.is_empty() {
                Vec::new()
            } else {
                vec![PageCache::of(limits.iter().copied().enumerate().collect(), settings.clone())]
            },
            limits: limits.to_vec(),
            references: References::default(),
            intake: Intake::default(),
            tally: Tally::default(),
            rows: 0,
            threads: threads.max(1),
        })
    }

    /// What the events were so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Process the next events.
    ///
    /// # Errors
    /// At the first row that cannot be; the rows before it may have been processed or not.
    pub fn push(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        let columns = Columns::new(batch)?;
        let mut events = Vec::with_capacity(2 * batch.num_rows());
        for row in 0..batch.num_rows() {
            let at = At::Reference(self.rows);
            self.rows += 1;
            self.row(&columns, row, &mut events).map_err(|error| Error { at: Some(at), ..error })?;
        }
        self.run(&events);
        Ok(())
    }

    fn row(&mut self, columns: &Columns, row: usize, events: &mut Vec<Event>) -> Result<(), Error> {
        self.intake.time(columns.time_ns.and_then(|times| given(times, row)), events);
        let name = columns.name(row)?;
        let length = positive(columns.length, row, "length")?;
        if name == "memory" {
            events.push(Event::Sample { other_pages: length.unwrap_or(0).div_ceil(PAGE_BYTES) });
            return Ok(());
        }
        if name == "processor" {
            let number = positive(columns.offset, row, "processor")?.unwrap_or(0);
            if number > u64::from(LAST_PROCESSOR) {
                let why = format!("processor {number}: processors are numbered from 0 to {LAST_PROCESSOR}");
                return Err(Error::of(why));
            }
            events.push(Event::Processor(number as u32));
            return Ok(());
        }
        let file = columns.file.is_valid(row).then(|| columns.file.value(row));
        let is_request = matches!(
            name,
            "read"
                | "read_spliced"
                | "write"
                | "write_synchronous"
                | "touch"
                | "fault"
                | "mapped"
                | "direct_read"
        );
        self.tally.requests += u64::from(is_request);
        let Some(file) = file else {
            match name {
                "sync" => events.push(Event::Sync(None)),
                _ => self.tally.unplaced += u64::from(is_request),
            }
            return Ok(());
        };
        let dense = self.intake.file(file as u32);
        let use_number = Some(columns.open).filter(|opens| opens.is_valid(row)).map(|opens| opens.value(row));
        let open = self.intake.open(use_number.and_then(|number| u32::try_from(number).ok()), file as u32);
        let offset = positive(columns.offset, row, "offset")?;
        let size = positive(columns.file_size, row, "file size")?;
        let file = dense;
        if !is_request {
            match name {
                "truncate" => self.intake.truncate(file, offset.unwrap_or(0), events),
                "delete" => self.intake.delete(file, events),
                "sync" => events.push(Event::Sync(Some(file))),
                "will_need" | "dont_need" => {
                    let (offset, last) = advised(offset, length)?;
                    self.intake.before_advice(file, size, events);
                    events.push(match name {
                        "will_need" => Event::WillNeed { file, open, offset, last },
                        _ => Event::DontNeed { file, offset, last },
                    });
                }
                "writes_shown" => events.push(Event::WritesShown { file }),
                "evicted" | "dropped" | "write_begun" | "write_ended" => {
                    let page = offset.unwrap_or(0) / PAGE_BYTES;
                    let pages = length.unwrap_or(0).div_ceil(PAGE_BYTES).min(MOST_PAGES);
                    events.push(match name {
                        "evicted" => Event::Evicted { file, open, page, pages },
                        "write_begun" => Event::WriteBegun { file, page, pages },
                        "write_ended" => Event::WriteEnded { file, page, pages },
                        _ => Event::Dropped { file, page, pages },
                    });
                }
                "advise_normal" => events.push(Event::Advice { open, advice: Advice::Normal }),
                "advise_sequential" => events.push(Event::Advice { open, advice: Advice::Sequential }),
                "advise_random" => events.push(Event::Advice { open, advice: Advice::Random }),
                _ => return Err(Error::of(format!("there is no event {name}"))),
            }
            self.note_last(events);
            return Ok(());
        }
        let (Some(offset), Some(length)) = (offset, length) else {
            self.tally.unplaced += 1;
            return Ok(());
        };
        let end = offset.checked_add(length).filter(|&end| end <= i64::MAX as u64);
        let end = end.ok_or_else(|| Error::of("a request ends beyond 2^63"))?;
        let is_write = name.starts_with("write");
        let pages = (end.div_ceil(PAGE_BYTES) - offset / PAGE_BYTES) * u64::from(length > 0);
        self.tally.pages = self.tally.pages.saturating_add(pages);
        if self.tally.pages > MOST_PAGES {
            return Err(Error::of(format!("requests touch more than {MOST_PAGES} pages")));
        }
        let range = Range { file, offset, length, file_size: size };
        if is_write {
            self.intake.write(range, name == "write_synchronous", events);
            self.note_last(events);
            return Ok(());
        }
        self.intake.before_read(range, events);
        match name {
            "read" | "read_spliced" => {
                let spliced = name == "read_spliced";
                let requested = positive(columns.requested, row, "number of bytes")?.unwrap_or(length);
                events.push(Event::Read { file, open, offset, length, requested, spliced });
            }
            "touch" => {
                self.tally.mapped_pages += pages;
                events.push(Event::Touch { file, open, page: offset / PAGE_BYTES, pages });
            }
            "fault" => events.push(Event::Fault { file, open, page: offset / PAGE_BYTES }),
            "mapped" => events.push(Event::Mapped { file, open, page: offset / PAGE_BYTES, pages }),
            _ => {
                self.tally.direct_pages += pages;
                events.push(Event::Direct { pages });
            }
        }
        self.note_last(events);
        Ok(())
    }

    /// Note the last event among the references to pages.
    fn note_last(&mut self, events: &[Event]) {
        if let Some(event) = events.last() {
            self.references.note(event);
        }
    }

    fn run(&mut self, events: &[Event]) {
        self.caches = fork::run(std::mem::take(&mut self.caches), events, self.threads);
    }

    /// A row for each limit, in their order: what its page cache did, and the fewest pages that any cache reads.
    ///
    /// # Errors
    /// If Arrow refuses the table.
    pub fn finish(self) -> Result<RecordBatch, Error> {
        let compared: Vec<u64> =
            self.limits.iter().filter(|limit| limit.is_compared).map(|limit| limit.pages).collect();
        let mut fewest = self.references.fewest_reads(&compared).into_iter();
        let mut counted = vec![Counts::default(); self.limits.len()];
        for cache in &self.caches {
            for &(place, _) in cache.members() {
                counted[place] = cache.counts();
            }
        }
        let rows: Vec<_> = self
            .limits
            .iter()
            .zip(&counted)
            .map(|(limit, counts)| {
                let lru = limit.is_compared.then(|| self.references.lru_reads(limit.pages));
                let fewest = if limit.is_compared { fewest.next() } else { None };
                (limit.pages, counts, lru, fewest)
            })
            .collect();
        let table = table!(rows.iter(), |(pages, counts, lru, fewest)| {
            limit_pages: u64 = *pages,
            page_reads: u64 = counts.reads,
            page_insertions: u64 = counts.insertions,
            page_refaults: u64 = counts.refaults,
            page_evictions: u64 = counts.evictions,
            pages_beyond_limit: u64 = counts.beyond_limit,
            most_cached_pages: u64 = counts.most_pages,
            page_reads_lru: Option<i64> = lru.map(|reads| reads as i64),
            page_reads_optimum: Option<i64> = fewest.map(|reads| reads as i64),
        });
        Ok(table.batch()?)
    }
}
