//! Disks, each with a FIFO queue.

use super::blocks::FileBlock;
use super::program::Program;
use super::settings::{FirstDisk, Service, Settings};
use crate::error::Error;
use crate::simulate::disk::Device;
use std::collections::VecDeque;
use std::sync::Arc;

/// What waits for the end of a disk operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Buffer(u32),
    Process(u32),
}

/// A disk operation on one block.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    pub target: Target,
    pub place: FileBlock,
    pub writes: bool,
}

#[derive(Debug)]
pub struct Disk {
    /// The current operation and the queue, in order.
    queue: VecDeque<Request>,
    device: Option<Box<Device>>,
    pub busy_ns: i64,
    pub reads: u64,
    pub writes: u64,
    /// Reads and writes that no cache can avoid.
    pub required: u64,
    pub longest_queue: usize,
}

/// All disks, and the layout of files on them.
#[derive(Debug)]
pub struct Disks {
    pub all: Vec<Disk>,
    layout: Layout,
    service_ns: i64,
}

/// Maps a block of a file to a disk and a block there: files are interleaved in stripes, and are consecutive on each
/// disk, each with as much space as it has on its fullest disk.
#[derive(Debug)]
struct Layout {
    disks: u64,
    stripe_blocks: u64,
    first_disk: FirstDisk,
    sectors_per_block: u64,
    /// The start of each file on a disk, in blocks; empty if not needed.
    starts: Vec<u64>,
}

/// Size of a drive's sectors.
const SECTOR_BYTES: u64 = 512;

impl Layout {
    fn disk(&self, place: FileBlock) -> u32 {
        let stripe = match self.stripe_blocks {
            1 => place.block,
            blocks => place.block / blocks,
        };
        let first = match self.first_disk {
            FirstDisk::Zero => 0,
            FirstDisk::File => u64::from(place.file),
        };
        // blocks of files are far fewer than 2^64
        ((stripe + first) % self.disks) as u32
    }

    fn sector(&self, place: FileBlock) -> u64 {
        let stripe = place.block / self.stripe_blocks;
        let within = stripe / self.disks * self.stripe_blocks + place.block % self.stripe_blocks;
        (self.starts[place.file as usize] + within) * self.sectors_per_block
    }
}

impl Disks {
    pub fn new(settings: &Settings, program: &Program) -> Result<Self, Error> {
        let mut layout = Layout {
            disks: u64::from(settings.disks),
            stripe_blocks: settings.stripe_blocks,
            first_disk: settings.first_disk,
            sectors_per_block: settings.block_bytes / SECTOR_BYTES,
            starts: Vec::new(),
        };
        let (service_ns, drive) = match &settings.service {
            Service::Constant { service_ns } => (*service_ns, None),
            Service::Drive(drive) => (0, Some(drive)),
        };
        if let Some(drive) = drive {
            if settings.block_bytes % SECTOR_BYTES != 0 {
                let bytes = settings.block_bytes;
                return Err(Error::of(format!(
                    "a block of {bytes} bytes is not a whole number of sectors of a drive"
                )));
            }
            let mut start = 0u64;
            for &bytes in &program.file_bytes {
                layout.starts.push(start);
                let stripes = bytes.div_ceil(settings.block_bytes).div_ceil(layout.stripe_blocks);
                let on_disk = stripes.div_ceil(layout.disks).saturating_mul(layout.stripe_blocks);
                start = start.saturating_add(on_disk);
            }
            let (needed, there) = (start.saturating_mul(layout.sectors_per_block), drive.geometry.blocks());
            if needed > there {
                return Err(Error::of(format!(
                    "the files need {needed} sectors on each disk, which has {there}"
                )));
            }
        }
        let disk = |_| Disk {
            queue: VecDeque::new(),
            device: drive.map(|drive| Box::new(Device::new(Arc::clone(drive)))),
            busy_ns: 0,
            reads: 0,
            writes: 0,
            required: 0,
            longest_queue: 0,
        };
        Ok(Disks { all: (0..settings.disks).map(disk).collect(), layout, service_ns })
    }

    /// The disk of a block. Count an operation on a block's disk that no cache can avoid.
    pub fn require(&mut self, place: FileBlock) {
        let disk = self.layout.disk(place);
        self.all[disk as usize].required += 1;
    }

    pub fn disk(&self, place: FileBlock) -> u32 {
        self.layout.disk(place)
    }

    /// Add an operation to its disk's queue; returns whether the disk is free to start it.
    pub fn queue(&mut self, disk: u32, request: Request) -> bool {
        let disk = &mut self.all[disk as usize];
        disk.queue.push_back(request);
        disk.longest_queue = disk.longest_queue.max(disk.queue.len());
        match request.writes {
            true => disk.writes += 1,
            false => disk.reads += 1,
        }
        disk.queue.len() == 1
    }

    /// Start the first operation in a disk's queue, if any; returns it and its duration in ns.
    pub fn start(&mut self, disk: u32, now_ns: i64) -> Option<(Request, i64)> {
        let disk = &mut self.all[disk as usize];
        let request = *disk.queue.front()?;
        let duration_ns = match &mut disk.device {
            None => self.service_ns,
            Some(device) => {
                let sector = self.layout.sector(request.place);
                let blocks = self.layout.sectors_per_block;
                device.serve(now_ns, sector, blocks, request.writes).end_ns - now_ns
            }
        };
        disk.busy_ns += duration_ns;
        Some((request, duration_ns))
    }

    /// A disk's current operation has ended.
    pub fn end(&mut self, disk: u32) -> Option<Request> {
        self.all[disk as usize].queue.pop_front()
    }
}
