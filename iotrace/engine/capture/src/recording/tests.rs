//! What is written is read; what is damaged is said to be.

use super::{Block, BlockKind, Failure, Reader, Records, Writer, VERSION};
use crate::record::{Inode, Record, LOSSES, LOST_CALLS, PAGE_FAULT};
use proptest::prelude::*;
use std::io::Cursor;

#[derive(Debug, Clone)]
struct Owned {
    number: u16,
    thread: u32,
    process: u32,
    start_ns: u64,
    duration_ns: u64,
    result: i64,
    arguments: [u64; 6],
    names: (Vec<u8>, Vec<u8>),
    data: Option<Vec<u8>>,
    second: Option<u64>,
    inode: Option<[u64; 4]>,
}

impl Owned {
    fn record(&self) -> Record<'_> {
        let inode = |[device, inode, mode, size_bytes]: [u64; 4]| Inode { device, inode, mode, size_bytes };
        Record {
            number: self.number,
            thread: self.thread,
            process: self.process,
            start_ns: self.start_ns,
            has_start: self.result % 2 == 0,
            duration_ns: self.duration_ns,
            result: self.result,
            arguments: self.arguments,
            name: &self.names.0,
            second_name: &self.names.1,
            data: self.data.as_deref(),
            second: self.second,
            inode: self.inode.map(inode),
        }
    }
}

fn owned() -> impl Strategy<Value = Owned> {
    let who = (0..512_u16, 1..5_u32, 1..3_u32);
    let when = (any::<u32>(), 0..1_000_000_u64, any::<i64>());
    let name = || prop::collection::vec(any::<u8>(), 0..20);
    let rest =
        (prop::option::of(name()), prop::option::of(any::<u64>()), prop::option::of(any::<[u64; 4]>()));
    let arguments = prop::array::uniform6(prop_oneof![0..10_u64, any::<u64>()]);
    (who, when, arguments, (name(), name()), rest).prop_map(
        |(
            (number, thread, process),
            (start, duration_ns, result),
            arguments,
            names,
            (data, second, inode),
        )| Owned {
            number,
            thread,
            process,
            start_ns: u64::from(start),
            duration_ns,
            result,
            arguments,
            names,
            data,
            second,
            inode,
        },
    )
}

/// A recording of these records, in blocks that end after each number of them.
fn recording(records: &[Owned], block_records: usize) -> Vec<u8> {
    let mut file = Vec::new();
    let Ok(mut writer) = Writer::new(&mut file, super::MAGIC, 0) else { return Vec::new() };
    let written = writer.text(BlockKind::Start, 0, [0; LOSSES], b"machine x86_64\n");
    assert!(written.is_ok());
    let mut now_ns = 0;
    for (number, record) in records.iter().enumerate() {
        writer.push(&record.record(), 0);
        now_ns = record.record().end_ns().max(now_ns);
        if number % block_records == block_records - 1 {
            assert!(writer.flush(now_ns, [0; LOSSES]).is_ok());
        }
    }
    assert!(writer.flush(u64::MAX, [1, 2, 3, 4, 5, 6]).is_ok());
    file
}

fn read(file: &[u8]) -> (Vec<Block>, Vec<Block>, Option<String>) {
    let Ok(mut reader) = Reader::open(Cursor::new(file), super::MAGIC) else { return Default::default() };
    let late = reader.take_late_calls();
    let mut blocks = Vec::new();
    while let Ok(Some(block)) = reader.next_calls() {
        blocks.push(block);
    }
    let damage = reader.damage().map(str::to_owned);
    (blocks, late, damage)
}

proptest! {
    #[test]
    fn records_come_back(records in prop::collection::vec(owned(), 0..60), size in 1..20_usize) {
        let file = recording(&records, size);
        let (blocks, late, damage) = read(&file);
        prop_assert_eq!(damage, None);
        let mut expected: Vec<Record<'_>> = records.iter().map(Owned::record).collect();
        let mut found: Vec<Record<'_>> = late.iter().chain(&blocks).flat_map(Records::new).collect();
        let key = |record: &Record<'_>| format!("{record:?}");
        expected.sort_by_key(key);
        found.sort_by_key(key);
        prop_assert_eq!(found, expected);
    }

    /// What is in no late block began after the block before it was opened.
    #[test]
    fn other_records_are_in_order_to_within_two_blocks(records in prop::collection::vec(owned(), 0..60), size in 1..20_usize) {
        let file = recording(&records, size);
        let (blocks, _, _) = read(&file);
        for pair in blocks.windows(2) {
            prop_assert!(Records::new(&pair[1]).all(|record| record.start_ns >= pair[0].opened_ns));
        }
    }

    #[test]
    fn damage_is_noticed(records in prop::collection::vec(owned(), 1..40), at in any::<prop::sample::Index>(), bit in 0..8_u8) {
        let mut file = recording(&records, 7);
        let whole = read(&file);
        let place = at.index(file.len());
        file[place] ^= 1 << bit;
        let found = read(&file);
        let is_prefix = whole.0.starts_with(&found.0);
        // a frame of zstd has a bit without a meaning
        prop_assert!(found == whole || found.2.is_some() || Reader::open(Cursor::new(&file), super::MAGIC).is_err());
        prop_assert!(is_prefix);
    }

    #[test]
    fn a_cut_recording_has_its_whole_blocks(records in prop::collection::vec(owned(), 1..40), at in any::<prop::sample::Index>()) {
        let file = recording(&records, 7);
        let whole = read(&file);
        let cut = read(&file[..at.index(file.len())]);
        prop_assert!(whole.0.starts_with(&cut.0));
    }

    #[test]
    fn any_bytes_are_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut file = super::MAGIC.to_vec();
        file.extend_from_slice(&VERSION.to_le_bytes());
        file.extend_from_slice(&bytes);
        read(&file);
    }
}

#[test]
fn losses_stand_where_they_were() {
    let record = Record { number: 1, start_ns: 10, ..Record::default() };
    let mut file = Vec::new();
    let Ok(mut writer) = Writer::new(&mut file, super::MAGIC, 0) else { return };
    writer.push(&record, 0);
    writer.push(&record, 5);
    writer.push(&record, 5);
    assert!(writer.flush(20, [5, 0, 0, 0, 0, 0]).is_ok());
    let (blocks, ..) = read(&file);
    let numbers: Vec<u16> = blocks.iter().flat_map(Records::new).map(|record| record.number).collect();
    assert_eq!(numbers, [1, LOST_CALLS, 1, 1]);
    assert_eq!(blocks[0].lost, [5, 0, 0, 0, 0, 0]);
}

#[test]
fn later_versions_and_other_files_are_refused() {
    let mut file = super::MAGIC.to_vec();
    file.extend_from_slice(&(VERSION + 1).to_le_bytes());
    assert!(
        matches!(Reader::open(Cursor::new(&file), super::MAGIC), Err(Failure::Newer(version)) if version == VERSION + 1)
    );
    assert!(matches!(Reader::open(Cursor::new(b"a text"), super::MAGIC), Err(Failure::NotARecording)));
    assert!(matches!(
        Reader::open(Cursor::new(b"a text that is longer"), super::MAGIC),
        Err(Failure::NotARecording)
    ));
}

#[cfg(unix)]
#[test]
fn a_recording_keeps_its_end_within_a_size_and_counts_the_rest() -> std::io::Result<()> {
    const MOST_BYTES: u64 = 4000;
    let path = std::env::temp_dir().join(format!("iotrace-trim-{}.iorec", std::process::id()));
    let file = std::fs::OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
    let mut writer = Writer::new(file, super::MAGIC, 0)?;
    writer.text(BlockKind::Start, 0, [0; LOSSES], b"machine x86_64\n")?;
    let made = 20_000_u64;
    let mut largest = 0;
    for number in 0..made {
        let record = Record {
            thread: 1,
            process: 1,
            start_ns: 10 * number + 1,
            has_start: true,
            duration_ns: 5,
            arguments: [number * number, 0, 0, 0, 0, 0],
            ..Record::default()
        };
        writer.push(&record, number / 50);
        writer.push(&Record { number: PAGE_FAULT, ..record }, number / 50);
        if number % 100 == 99 {
            writer.flush(10 * number + 10, [0; LOSSES])?;
            writer.trim(MOST_BYTES)?;
            largest = largest.max(std::fs::metadata(&path)?.len());
        }
    }
    let [dropped, _, _, _, _, events] = writer.dropped();
    assert_eq!(writer.bytes().0, std::fs::metadata(&path)?.len());
    assert_eq!(writer.records() + dropped + events, 2 * made);
    assert_eq!(dropped, events);
    writer.text(BlockKind::End, 10 * made, [0; LOSSES], b"status 0\n")?;
    assert!(dropped > 0);
    let mut reader = Reader::open(std::fs::File::open(&path)?, super::MAGIC)
        .map_err(|_| std::io::Error::other("unreadable"))?;
    std::fs::remove_file(&path)?;
    let (mut kept, mut lost, mut last) = (0, 0, 0);
    while let Some(block) = reader.next_calls()? {
        for record in Records::new(&block) {
            if record.number == LOST_CALLS {
                lost += record.arguments[0];
                continue;
            }
            assert!(record.start_ns >= last);
            last = record.start_ns;
            kept += u64::from(record.number != PAGE_FAULT);
        }
    }
    assert!(dropped > made / 2 && kept > 100 && largest <= MOST_BYTES);
    assert_eq!((lost, kept), (dropped + (made - 1) / 50, made - dropped));
    assert_eq!(reader.lost()[0], dropped);
    assert!(reader.end().is_some() && reader.damage().is_none());
    Ok(())
}
