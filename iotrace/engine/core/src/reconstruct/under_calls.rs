//! Tables of what happens under system calls.

use crate::columns::{columns, Dictionary, Named, Numbers};
use crate::recording::Operation;
use crate::syscalls::under_calls::{
    DiskRequest, Inode, Memory, MemoryScope, OffProcessor, Pages, RingRequest, StackFrame, UnderCalls, What,
};
use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use rustc_hash::FxHashMap;

const BATCH_ROWS: usize = 65_536;

columns! {
    /// Rows of table `off_cpu`.
    struct OffCpu {
        time_ns: Numbers<i64>,
        duration_ns: Numbers<i64>,
        blocked_ns: Numbers<i64>,
        process: Numbers<i32> or null,
        thread: Numbers<i32>,
        state: Dictionary or null,
        call: Dictionary or null,
        stack: Numbers<i32> or null,
    }
}

columns! {
    /// Rows of table `process_cgroup`.
    struct ProcessCgroups {
        process: Numbers<i32>,
        time_ns: Numbers<i64>,
        cgroup: Dictionary or null,
    }
}

columns! {
    /// Rows of table `stack_frame`.
    struct StackFrames {
        stack: Numbers<i32>,
        depth: Numbers<i32>,
        function: Dictionary or null,
        module: Dictionary or null,
        offset: Numbers<i64> or null,
    }
}

columns! {
    /// Rows of table `call_stack`.
    struct CallStacks {
        call_seq: Numbers<i64>,
        stack: Numbers<i32>,
    }
}

columns! {
    /// Rows of table `page_cache_event`.
    struct PageCache {
        time_ns: Numbers<i64>,
        event: Dictionary or null,
        process: Numbers<i32> or null,
        thread: Numbers<i32>,
        device_number: Numbers<i64>,
        inode: Numbers<i64>,
        page: Numbers<i64>,
        pages: Numbers<i64>,
        processor: Numbers<i32> or null,
    }
}

columns! {
    /// Rows of table `disk_io`.
    struct DiskIo {
        seq: Numbers<i64>,
        time_ns: Numbers<i64> or null,
        device: Numbers<i32>,
        operation: Dictionary or null,
        lbn: Numbers<i64> or null,
        blocks: Numbers<i64> or null,
        process: Numbers<i32> or null,
        file: Numbers<i32> or null,
        latency_ns: Numbers<i64> or null,
        service_ns: Numbers<i64> or null,
        host: Dictionary or null,
        flags: Dictionary or null,
        queued_ns: Numbers<i64> or null,
        allocated_ns: Numbers<i64> or null,
        inserted_ns: Numbers<i64> or null,
        issued_ns: Numbers<i64> or null,
        completed_ns: Numbers<i64> or null,
    }
}

columns! {
    /// Rows of table `disk_io_file`.
    struct DiskIoFile {
        seq: Numbers<i64>,
        thread: Numbers<i32>,
        device_number: Numbers<i64> or null,
        inode: Numbers<i64> or null,
        page: Numbers<i64> or null,
    }
}

columns! {
    /// Rows of table `disk`.
    struct Disks {
        device: Numbers<i32>,
        device_number: Numbers<i64>,
    }
}

columns! {
    /// Rows of table `memory_sample`.
    struct MemorySamples {
        time_ns: Numbers<i64>,
        scope: Dictionary or null,
        page_cache_bytes: Numbers<i64>,
        anonymous_bytes: Numbers<i64>,
        slab_bytes: Numbers<i64> or null,
        limit_bytes: Numbers<i64> or null,
        processors: Numbers<i32> or null,
    }
}

columns! {
    /// Rows of table `ring_request`.
    struct RingRequests {
        time_ns: Numbers<i64>,
        duration_ns: Numbers<i64>,
        process: Numbers<i32> or null,
        thread: Numbers<i32>,
        operation: Dictionary or null,
        offset: Numbers<i64> or null,
        length: Numbers<i64> or null,
        result: Numbers<i64>,
        device_number: Numbers<i64> or null,
        inode: Numbers<i64> or null,
    }
}

columns! {
    /// Rows of table `opened_inode`.
    struct OpenedInodes {
        call_seq: Numbers<i64>,
        device_number: Numbers<i64>,
        inode: Numbers<i64>,
    }
}

/// A batch of the table of this name.
type NamedBatch = (&'static str, RecordBatch);

/// The tables under construction.
#[derive(Debug, Default)]
pub struct UnderCallsTables {
    off_cpu: OffCpu,
    page_cache: PageCache,
    disk_io: DiskIo,
    disk_io_file: DiskIoFile,
    memory: MemorySamples,
    frames: StackFrames,
    call_stacks: CallStacks,
    cgroups: ProcessCgroups,
    ring: RingRequests,
    opened: OpenedInodes,
    /// The requests to disks so far, and the place of each disk and partition by its number.
    requests: i64,
    devices: FxHashMap<i64, i32>,
    disks: Vec<(i32, i64)>,
}

/// The operations of io_uring that move data or make it last, by number (`include/uapi/linux/io_uring.h`).
const RING_OPERATIONS: [(i64, &str, bool); 9] = [
    (1, "readv", true),
    (2, "writev", true),
    (3, "fsync", true),
    (4, "read_fixed", true),
    (5, "write_fixed", true),
    (18, "openat", false),
    (19, "close", false),
    (22, "read", true),
    (23, "write", true),
];

impl UnderCallsTables {
    /// Add what happened at a time from the first event of the trace on, in a row of table `process`.
    pub fn push(&mut self, happened: UnderCalls, process: Option<i32>) {
        let UnderCalls { time_ns, thread, what } = happened;
        match what {
            What::OffProcessor(wait) => self.off_processor(time_ns, process, thread, &wait),
            What::Pages(pages) => self.pages(time_ns, process, thread, &pages),
            What::Disk(request) => self.disk(time_ns, process, thread, &request),
            What::Memory(memory) => self.memory(time_ns, &memory),
            What::Frame(frame) => self.frame(&frame),
            What::Cgroup(path) => self.cgroup(time_ns, process, &path),
            What::Ring(request) => self.ring(time_ns, process, thread, &request),
        }
    }

    /// Add the file that a call opened.
    pub fn opened(&mut self, seq: i64, file: Inode) {
        self.opened.call_seq.push(seq);
        self.opened.device_number.push(file.device);
        self.opened.inode.push(file.inode);
    }

    /// Add the stack from which a call was made, with its frames if they are new.
    pub fn stack(&mut self, seq: i64, stack: i32, frames: &[StackFrame]) {
        self.call_stacks.call_seq.push(seq);
        self.call_stacks.stack.push(stack);
        frames.iter().for_each(|frame| self.frame(frame));
    }

    fn off_processor(&mut self, time_ns: i64, process: Option<i32>, thread: i32, wait: &OffProcessor) {
        let rows = &mut self.off_cpu;
        rows.time_ns.push(time_ns);
        rows.duration_ns.push(wait.duration_ns);
        rows.blocked_ns.push(wait.blocked_ns);
        rows.process.push_option(process);
        rows.thread.push(thread);
        rows.state.push(wait.state.name().as_bytes());
        rows.call.push_option(wait.call.as_deref());
        rows.stack.push_option(wait.stack);
    }

    fn cgroup(&mut self, time_ns: i64, process: Option<i32>, path: &[u8]) {
        let Some(process) = process else { return };
        let rows = &mut self.cgroups;
        rows.process.push(process);
        rows.time_ns.push(time_ns);
        rows.cgroup.push(path);
    }

    fn frame(&mut self, frame: &StackFrame) {
        let rows = &mut self.frames;
        rows.stack.push(frame.stack);
        rows.depth.push(frame.depth);
        rows.function.push_option(frame.function.as_deref());
        rows.module.push_option(frame.module.as_ref().map(|(module, _)| &**module));
        rows.offset.push_option(frame.module.as_ref().map(|(_, offset)| *offset));
    }

    fn pages(&mut self, time_ns: i64, process: Option<i32>, thread: i32, pages: &Pages) {
        let rows = &mut self.page_cache;
        rows.time_ns.push(time_ns);
        rows.event.push(pages.event.name().as_bytes());
        rows.process.push_option(process);
        rows.thread.push(thread);
        rows.device_number.push(pages.file.device);
        rows.inode.push(pages.file.inode);
        rows.page.push(pages.first);
        rows.pages.push(pages.count);
        rows.processor.push_option(pages.processor);
    }

    fn disk(&mut self, time_ns: i64, process: Option<i32>, thread: i32, request: &DiskRequest) {
        let device = self.device(request);
        let after = |later_ns: Option<i64>| later_ns.map(|later_ns| time_ns.saturating_add(later_ns));
        let operation = Some(request.operation).filter(|&operation| operation != Operation::Other);
        let completed_ns = time_ns.saturating_add(request.duration_ns);
        let rows = &mut self.disk_io;
        rows.seq.push(self.requests);
        rows.time_ns.push(time_ns);
        rows.device.push(device);
        rows.operation.push_option(operation.map(|operation| operation.name().as_bytes()));
        rows.lbn.push(request.first_block);
        rows.blocks.push(request.blocks);
        rows.process.push_option(process);
        rows.file.push_option(None);
        rows.latency_ns.push(request.duration_ns);
        rows.service_ns.push_option(request.issued_ns.map(|issued_ns| request.duration_ns - issued_ns));
        rows.host.push_option(None);
        rows.flags.push_option(Some(request.flags.as_bytes()).filter(|flags| !flags.is_empty()));
        rows.queued_ns.push(time_ns);
        rows.allocated_ns.push_option(None);
        rows.inserted_ns.push_option(after(request.inserted_ns));
        rows.issued_ns.push_option(after(request.issued_ns));
        rows.completed_ns.push(completed_ns);
        let rows = &mut self.disk_io_file;
        rows.seq.push(self.requests);
        rows.thread.push(thread);
        rows.device_number.push_option(request.file.map(|(file, _)| file.device));
        rows.inode.push_option(request.file.map(|(file, _)| file.inode));
        rows.page.push_option(request.file.map(|(_, page)| page));
        self.requests += 1;
    }

    /// The place of a request's disk; its partition has the same.
    fn device(&mut self, request: &DiskRequest) -> i32 {
        let next = self.disks.last().map_or(0, |(last, _)| last + 1);
        let device = *self.devices.entry(request.device).or_insert_with(|| {
            self.disks.push((next, request.device));
            next
        });
        if let std::collections::hash_map::Entry::Vacant(entry) = self.devices.entry(request.partition) {
            entry.insert(device);
            self.disks.push((device, request.partition));
        }
        device
    }

    fn memory(&mut self, time_ns: i64, memory: &Memory) {
        let rows = &mut self.memory;
        rows.time_ns.push(time_ns);
        rows.scope.push(match memory.scope {
            MemoryScope::Machine => b"machine",
            MemoryScope::Cgroup => b"cgroup",
            MemoryScope::FormerCgroup => b"cgroup-v1",
        });
        rows.page_cache_bytes.push(memory.page_cache_bytes);
        rows.anonymous_bytes.push(memory.anonymous_bytes);
        rows.slab_bytes.push_option(memory.slab_bytes);
        rows.limit_bytes.push_option(memory.limit_bytes);
        rows.processors.push_option(memory.processors);
    }

    fn ring(&mut self, time_ns: i64, process: Option<i32>, thread: i32, request: &RingRequest) {
        let known = RING_OPERATIONS.iter().find(|(number, ..)| *number == request.operation);
        let has_range = known.is_some_and(|(.., has_range)| *has_range);
        let number = request.operation.to_string();
        let rows = &mut self.ring;
        rows.time_ns.push(time_ns);
        rows.duration_ns.push(request.duration_ns);
        rows.process.push_option(process);
        rows.thread.push(thread);
        rows.operation.push(known.map_or(number.as_str(), |(_, name, _)| name).as_bytes());
        rows.offset.push_option(has_range.then_some(request.offset));
        rows.length.push_option(has_range.then_some(request.length));
        rows.result.push(request.result);
        rows.device_number.push_option(request.file.map(|file| file.device));
        rows.inode.push_option(request.file.map(|file| file.inode));
    }

    /// The batches that are full; with `last`, all that is left.
    pub fn batches(&mut self, last: bool) -> Result<Vec<NamedBatch>, ArrowError> {
        let mut batches = Vec::new();
        let is_due = |rows: usize| rows >= BATCH_ROWS || last && rows > 0;
        macro_rules! take {
            ($($name:literal $columns:ident $first:ident;)+) => {
                $(
                    let rows = self.$columns.$first.rows();
                    if is_due(rows) {
                        batches.push(($name, self.$columns.take(rows)?));
                    }
                )+
            };
        }
        take! {
            "off_cpu" off_cpu time_ns;
            "page_cache_event" page_cache time_ns;
            "disk_io" disk_io seq;
            "disk_io_file" disk_io_file seq;
            "memory_sample" memory time_ns;
            "stack_frame" frames stack;
            "call_stack" call_stacks stack;
            "process_cgroup" cgroups process;
            "ring_request" ring time_ns;
            "opened_inode" opened call_seq;
        }
        if last && !self.disks.is_empty() {
            let mut disks = Disks::default();
            for (device, number) in std::mem::take(&mut self.disks) {
                disks.device.push(device);
                disks.device_number.push(number);
            }
            let rows = disks.device.rows();
            batches.push(("disk", disks.take(rows)?));
        }
        Ok(batches)
    }
}
