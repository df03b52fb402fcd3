//! Records of what happens under calls, kept until their turn comes.

use crate::recording::{flag_names, Request, RequestFlags};
use crate::syscalls::under_calls::{
    DiskRequest, Inode, Memory, MemoryScope, OffProcessor, PageEvent, Pages, RingRequest, StackFrame,
    UnderCalls, WaitState, What,
};
use iotrace_capture::record::{
    self, Record, DISK_REQUEST, MEMORY, OFF_PROCESSOR, PAGES_ADDED, PAGES_MAPPED, PAGES_REMOVED, PAGE_FAULT,
    PROCESS_CGROUP, RING_REQUEST, STACK_FRAME,
};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The kernel's sizes of requests have 32 bits; a block has 512 bytes.
const MOST_BLOCKS: i64 = 1 << (32 - 9);
/// In place of a number that is not known.
const UNKNOWN: u64 = u64::MAX;

/// Records under calls by time, and what the recording says of them.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    by_time: BinaryHeap<Reverse<(u64, u64)>>,
    records: FxHashMap<u64, UnderCalls>,
    added: u64,
    flags: RequestFlags,
}

impl Waiting {
    /// With lines `NAME BIT`, one for each flag of requests.
    pub fn new<'a>(flags: impl Iterator<Item = &'a [u8]>) -> Waiting {
        Waiting { flags: RequestFlags::new(flags), ..Waiting::default() }
    }

    /// Keep a record; `name` gives the names of calls by number.
    pub fn push(&mut self, record: &Record<'_>, name: impl Fn(u16) -> Option<Box<[u8]>>) {
        let Some(what) = self.what(record, name) else { return };
        let kept = UnderCalls { time_ns: 0, thread: record.thread as i32, what };
        self.by_time.push(Reverse((record.start_ns, self.added)));
        self.records.insert(self.added, kept);
        self.added += 1;
    }

    /// The next that began before this time of the monotonic clock, and when.
    pub fn next(&mut self, horizon_ns: u64) -> Option<(u64, UnderCalls)> {
        let &Reverse((time_ns, number)) = self.by_time.peek()?;
        if time_ns >= horizon_ns {
            return None;
        }
        self.by_time.pop();
        Some((time_ns, self.records.remove(&number)?))
    }

    fn what(&self, record: &Record<'_>, name: impl Fn(u16) -> Option<Box<[u8]>>) -> Option<What> {
        let [first, second, third, fourth, fifth, sixth] = record.arguments;
        let duration_ns = number(record.duration_ns);
        Some(match record.number {
            OFF_PROCESSOR => {
                let state = WaitState::of_bits(second);
                let call = third.checked_sub(1).and_then(|call| name(u16::try_from(call).ok()?));
                let blocked_ns =
                    if state == WaitState::Runnable { 0 } else { number(first).min(duration_ns) };
                let stack = i32::try_from(fourth).ok().filter(|&stack| stack > 0);
                What::OffProcessor(OffProcessor { duration_ns, blocked_ns, state, call, stack })
            }
            PAGES_ADDED | PAGES_REMOVED | PAGE_FAULT | PAGES_MAPPED => {
                let event = match record.number {
                    PAGES_ADDED => PageEvent::Added,
                    PAGES_REMOVED => PageEvent::Removed,
                    PAGES_MAPPED => PageEvent::Mapped,
                    _ => PageEvent::Fault,
                };
                let file = Inode { device: number(first), inode: number(second) };
                let processor = fifth.checked_sub(1).and_then(|processor| i32::try_from(processor).ok());
                What::Pages(Pages { event, file, first: number(third), count: number(fourth), processor })
            }
            DISK_REQUEST => What::Disk(self.request(record)),
            MEMORY => What::Memory(Memory {
                scope: match fifth {
                    0 => MemoryScope::Machine,
                    2 => MemoryScope::FormerCgroup,
                    _ => MemoryScope::Cgroup,
                },
                page_cache_bytes: number(first),
                anonymous_bytes: number(second),
                slab_bytes: (third != UNKNOWN).then(|| number(third)),
                limit_bytes: (fourth != 0).then(|| number(fourth)),
                processors: i32::try_from(sixth).ok().filter(|&processors| processors > 0),
            }),
            RING_REQUEST => What::Ring(RingRequest {
                operation: number(first),
                offset: number(second),
                length: number(third),
                result: record.result,
                duration_ns,
                file: file_of(record.inode),
            }),
            STACK_FRAME => What::Frame(StackFrame {
                stack: i32::try_from(first).ok()?,
                depth: i32::try_from(second).ok()?,
                function: text(record.second_name),
                module: text(record.name).map(|module| (module, number(third))),
            }),
            PROCESS_CGROUP => What::Cgroup(text(record.name)?),
            _ => return None,
        })
    }

    fn request(&self, record: &Record<'_>) -> DiskRequest {
        let request = Request::of(record, &self.flags);
        DiskRequest {
            device: number(request.device),
            partition: number(request.partition),
            operation: request.operation,
            first_block: number(request.first_block),
            blocks: number(request.blocks).min(MOST_BLOCKS),
            flags: flag_names(request.flags).into_boxed_str(),
            inserted_ns: request.inserted_ns.map(number),
            issued_ns: request.issued_ns.map(number),
            duration_ns: number(record.duration_ns),
            file: file_of(record.inode).map(|file| (file, number(record.result as u64))),
        }
    }
}

/// The file of a record that may have one; programs write 0 for none.
pub(super) fn file_of(inode: Option<record::Inode>) -> Option<Inode> {
    let inode = inode.filter(|inode| inode.inode != 0)?;
    Some(Inode { device: number(inode.device), inode: number(inode.inode) })
}

fn text(name: &[u8]) -> Option<Box<[u8]>> {
    (!name.is_empty()).then(|| name.into())
}

/// Larger numbers, which no kernel has, are those of a damaged recording.
const MOST: i64 = 1 << 60;

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(MOST).min(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::Operation;
    use proptest::prelude::*;

    fn waiting() -> Waiting {
        Waiting::new([&b"synchronous 11"[..], b"forced 17", b"damaged", b"metadata 99"].into_iter())
    }

    proptest! {
        /// Whatever the numbers are, what is read can be added up, and comes in the order of time.
        #[test]
        fn any_numbers_are_read(
            records in prop::collection::vec(
                (OFF_PROCESSOR..=PAGES_MAPPED, any::<[u64; 6]>(), any::<u64>(), any::<u64>(), any::<i64>(),
                 prop::collection::vec(any::<u8>(), 0..20)),
                0..20,
            ),
        ) {
            let mut waiting = waiting();
            for (number, arguments, start_ns, duration_ns, result, data) in &records {
                let inode = record::Inode { device: arguments[5], inode: arguments[4], mode: 0, size_bytes: 0 };
                let record = Record {
                    number: *number,
                    arguments: *arguments,
                    start_ns: *start_ns % (1 << 62),
                    duration_ns: *duration_ns,
                    result: *result,
                    data: Some(data),
                    inode: Some(inode),
                    ..Record::default()
                };
                waiting.push(&record, |number| Some(number.to_string().into_bytes().into_boxed_slice()));
            }
            let taken: Vec<_> = std::iter::from_fn(|| waiting.next(u64::MAX)).collect();
            // numbers of stacks and depths have 32 bits, and a cgroup has a path
            let is_read = |number: u16, arguments: &[u64; 6]| match number {
                STACK_FRAME => arguments[..2].iter().all(|&part| i32::try_from(part).is_ok()),
                PROCESS_CGROUP => false,
                _ => true,
            };
            let expected = records.iter().filter(|(number, arguments, ..)| is_read(*number, arguments)).count();
            prop_assert_eq!(taken.len(), expected);
            prop_assert!(taken.is_sorted_by_key(|(time_ns, _)| *time_ns));
            for (_, happened) in taken {
                match happened.what {
                    What::OffProcessor(wait) => prop_assert!((0..=wait.duration_ns).contains(&wait.blocked_ns)),
                    What::Pages(pages) => prop_assert!(pages.first.checked_add(pages.count).is_some()),
                    What::Disk(disk) => prop_assert!(disk.first_block.checked_add(disk.blocks).is_some()),
                    What::Memory(_) | What::Ring(_) | What::Frame(_) | What::Cgroup(_) => {}
                }
            }
        }
    }

    #[test]
    fn a_request_has_its_stages_and_flags() {
        let data = [101_u64.to_le_bytes(), 201_u64.to_le_bytes()].concat();
        let record = Record {
            number: DISK_REQUEST,
            thread: 7,
            start_ns: 1000,
            duration_ns: 900,
            arguments: [8 << 20, 8 << 20 | 1, 64, 8192, 1 | 1 << 11 | 1 << 17, 0],
            result: 5,
            data: Some(&data),
            inode: Some(record::Inode { device: 8 << 20 | 1, inode: 42, mode: 0, size_bytes: 0 }),
            ..Record::default()
        };
        let mut waiting = waiting();
        waiting.push(&record, |_| None);
        let expected = DiskRequest {
            device: 8 << 20,
            partition: 8 << 20 | 1,
            operation: Operation::Write,
            first_block: 64,
            blocks: 16,
            flags: "forced|synchronous".into(),
            inserted_ns: Some(100),
            issued_ns: Some(200),
            duration_ns: 900,
            file: Some((Inode { device: 8 << 20 | 1, inode: 42 }, 5)),
        };
        let taken = waiting.next(1001);
        assert_eq!(taken, Some((1000, UnderCalls { time_ns: 0, thread: 7, what: What::Disk(expected) })));
        assert_eq!(waiting.next(u64::MAX), None);
    }
}
