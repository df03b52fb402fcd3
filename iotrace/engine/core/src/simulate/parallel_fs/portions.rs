//! The portions of a program: maximal runs of reads of contiguous records, in each list of records.

use super::program::{Operation, Program};

/// A run of contiguous reads.
#[derive(Clone, Copy, Debug)]
struct Portion {
    /// The first block that no process has reached and that was not read ahead.
    next_block: u64,
    last_block: u64,
}

/// All portions, and the portion of each record. Computation and empty records do not end a portion.
#[derive(Debug)]
pub struct Portions {
    of_record: Vec<u32>,
    all: Vec<Portion>,
}

impl Portions {
    pub fn new(program: &Program, block_bytes: u64) -> Self {
        let mut portions = Portions { of_record: vec![u32::MAX; program.records.len()], all: Vec::new() };
        for list in program.own.iter().chain(&program.shared) {
            // the file and offset at which the portion continues
            let mut goes_on = None;
            for number in list.clone() {
                let record = &program.records[number];
                if record.operation == Operation::Compute || record.length == 0 {
                    continue;
                }
                if record.operation != Operation::Read {
                    goes_on = None;
                    continue;
                }
                let end = record.offset + record.length;
                let last_block = (end - 1) / block_bytes;
                match portions.all.last_mut() {
                    Some(portion) if goes_on == Some((record.file, record.offset)) => {
                        portion.last_block = last_block;
                    }
                    _ => portions.all.push(Portion { next_block: record.offset / block_bytes, last_block }),
                }
                goes_on = Some((record.file, end));
                portions.of_record[number] = portions.all.len() as u32 - 1;
            }
        }
        portions
    }

    /// A process has reached a block of a record's portion.
    pub fn come_to(&mut self, record: usize, block: u64) {
        if let Some(portion) = self.all.get_mut(self.of_record[record] as usize) {
            portion.next_block = portion.next_block.max(block + 1);
        }
    }

    /// The next block of a record's portion that no process has reached and that was not read ahead.
    pub fn next(&self, record: usize) -> Option<u64> {
        let portion = self.all.get(self.of_record[record] as usize)?;
        (portion.next_block <= portion.last_block).then_some(portion.next_block)
    }
}
