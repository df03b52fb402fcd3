//! Checks a run's log without knowledge of the cache's implementation: disks serve in order and are never idle while
//! an operation waits, every write into a buffer reaches its disk, nothing is written needlessly, and reads return the
//! last write.

use super::super::blocks::FileBlock;
use super::super::log::{Line, LogEvent};
use std::collections::{HashMap, VecDeque};

/// A disk: the waiting operations with their times, and the end of its last operation.
#[derive(Default)]
struct Disk {
    queued: VecDeque<(i64, FileBlock, bool)>,
    is_busy: bool,
    done_ns: i64,
}

#[derive(Clone, Copy, Default)]
struct Block {
    /// The number of writes into the block in the cache, of those queued for the disk, and of those on disk.
    copied: u64,
    queued: u64,
    on_disk: u64,
}

/// Watch a run of disks of constant service time; with a cache, also check the blocks' contents.
pub fn watch(log: &[Line], service_ns: i64, is_cached: bool) {
    let mut disks: HashMap<u32, Disk> = HashMap::new();
    let mut blocks: HashMap<(u32, u64), Block> = HashMap::new();
    let mut in_flight: HashMap<(u32, u64), VecDeque<u64>> = HashMap::new();
    let mut now_ns = 0;
    for line in log {
        assert!(line.time_ns >= now_ns);
        now_ns = line.time_ns;
        let (Some(place), Some(number)) = (line.place, line.disk) else {
            if let (LogEvent::Dirty, Some(place)) = (line.what, line.place) {
                blocks.entry((place.file, place.block)).or_default().copied += 1;
            }
            continue;
        };
        let disk = disks.entry(number).or_default();
        let key = (place.file, place.block);
        let block = blocks.entry(key).or_default();
        let writes = matches!(line.what, LogEvent::WriteQueued | LogEvent::WriteStart | LogEvent::WriteEnd);
        match line.what {
            LogEvent::ReadQueued | LogEvent::WriteQueued => {
                disk.queued.push_back((now_ns, place, writes));
                if is_cached && writes {
                    assert!(block.copied > block.queued, "a needless write");
                    block.queued = block.copied;
                    in_flight.entry(key).or_default().push_back(block.copied);
                }
                assert!(!is_cached || block.copied == block.queued, "a read of old contents");
            }
            LogEvent::ReadStart | LogEvent::WriteStart => {
                let (queued_ns, first, first_writes) = disk.queued[0];
                assert_eq!((first, first_writes), (place, writes), "out of turn");
                assert_eq!(now_ns, queued_ns.max(disk.done_ns), "an idle disk");
                assert!(!disk.is_busy);
                (disk.is_busy, disk.done_ns) = (true, now_ns + service_ns);
                assert!(!is_cached || writes || block.on_disk == block.copied);
            }
            LogEvent::ReadEnd | LogEvent::WriteEnd => {
                let (_, first, first_writes) = disk.queued.pop_front().unwrap();
                assert_eq!((first, first_writes), (place, writes));
                assert_eq!((disk.is_busy, disk.done_ns), (true, now_ns));
                disk.is_busy = false;
                if is_cached && writes {
                    block.on_disk = in_flight.get_mut(&key).unwrap().pop_front().unwrap();
                }
            }
            other => panic!("{other:?} at a disk"),
        }
    }
    assert!(disks.values().all(|disk| disk.queued.is_empty() && !disk.is_busy));
    assert!(blocks.values().all(|block| block.on_disk == block.copied), "lost");
}
