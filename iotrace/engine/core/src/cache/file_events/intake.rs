//! Events of the page cache from requests to files.

use super::event::Event;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// A read or write of some bytes of a file.
#[derive(Debug, Clone, Copy)]
pub struct Range {
    /// Its file, by dense number.
    pub file: u32,
    /// Where it starts.
    pub offset: u64,
    /// How many bytes.
    pub length: u64,
    /// The file's size afterwards, where it is known.
    pub file_size: Option<u64>,
}

/// Gives files and open files dense numbers, and notes how long files are.
#[derive(Debug, Default)]
pub struct Intake {
    files: FxHashMap<u32, u32>,
    opens: FxHashMap<(bool, u32), u32>,
    sizes: FxHashMap<u32, u64>,
    time_ns: Option<i64>,
}

impl Intake {
    /// The time of the next event, which never goes back.
    pub fn time(&mut self, time_ns: Option<i64>, events: &mut Vec<Event>) {
        if let Some(time_ns) = time_ns.filter(|&time_ns| self.time_ns.is_none_or(|last| time_ns > last)) {
            self.time_ns = Some(time_ns);
            events.push(Event::Time(time_ns));
        }
    }

    /// The dense number of a file.
    pub fn file(&mut self, file: u32) -> u32 {
        let next = self.files.len() as u32;
        *self.files.entry(file).or_insert(next)
    }

    /// The dense number of an open file, by the use it is of. What names no use is taken to be all of one use of its file.
    pub fn open(&mut self, use_number: Option<u32>, file: u32) -> u32 {
        let next = self.opens.len() as u32;
        let key = use_number.map_or((true, file), |number| (false, number));
        *self.opens.entry(key).or_insert(next)
    }

    /// Advice on a file, whose size matters where nothing showed it so far.
    pub fn before_advice(&mut self, file: u32, file_size: Option<u64>, events: &mut Vec<Event>) {
        if let (Entry::Vacant(unknown), Some(bytes)) = (self.sizes.entry(file), file_size) {
            unknown.insert(bytes);
            events.push(Event::Size { file, bytes });
        }
    }

    /// A file is read, which shows that it reaches so far.
    pub fn before_read(&mut self, range: Range, events: &mut Vec<Event>) {
        let Range { file, offset, length, file_size } = range;
        let known = self.sizes.get(&file).copied();
        let bytes = file_size.or(known).unwrap_or(0).max(offset.saturating_add(length));
        if known != Some(bytes) {
            self.sizes.insert(file, bytes);
            events.push(Event::Size { file, bytes });
        }
    }

    /// A file is written, which may make it longer.
    pub fn write(&mut self, range: Range, synchronous: bool, events: &mut Vec<Event>) {
        let Range { file, offset, length, file_size } = range;
        let end = offset.saturating_add(length);
        if let Entry::Vacant(unknown) = self.sizes.entry(file) {
            // How long the file was before its first write is known only if the write did not make it longer.
            let bytes = file_size.filter(|&size| size > end).unwrap_or(0);
            unknown.insert(bytes);
            events.push(Event::Size { file, bytes });
        }
        let size = self.sizes.entry(file).or_default();
        *size = (*size).max(end);
        events.push(Event::Write { file, offset, length, synchronous });
    }

    /// A file gets a new length.
    pub fn truncate(&mut self, file: u32, bytes: u64, events: &mut Vec<Event>) {
        let shrinks = self.sizes.insert(file, bytes).is_none_or(|was| bytes < was);
        events.push(if shrinks { Event::Cut { file, bytes } } else { Event::Size { file, bytes } });
    }

    /// A file goes.
    pub fn delete(&mut self, file: u32, events: &mut Vec<Event>) {
        self.sizes.insert(file, 0);
        events.push(Event::Cut { file, bytes: 0 });
    }
}
