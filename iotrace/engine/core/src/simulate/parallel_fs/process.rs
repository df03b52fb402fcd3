//! The steps of a process: take a record, access its blocks in sequence, compute.

use super::log::LogEvent;
use super::process_state::{Process, ProcessState, Step};
use super::program::Operation;
use super::simulation::{gauge_of, Event, Simulation};

/// Whether a process continues immediately, or waits for an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    On,
    Waits,
}

impl Simulation<'_> {
    /// Run a process until it waits.
    pub fn run_process(&mut self, process: u32) {
        loop {
            if self.is_occupied(process) {
                return;
            }
            let flow = match self.processes[process as usize].step {
                Step::Take => self.take(process),
                Step::Access => self.access(process),
                Step::Manage => self.manage(process),
                Step::LookUp => self.look_for_buffer(process),
                Step::Miss => self.request_disk(process, Step::QueueRead),
                Step::QueueRead => self.queue_read(process),
                Step::HasBuffer => self.use_buffer(process),
                Step::Copy => self.copy(process),
                Step::CopyPiece => self.copy_piece(process),
                Step::PieceCopied => self.pass_on(process),
                Step::ReadUncached => self.operate(process, false, Step::CopyUncached),
                Step::ReadForWrite => self.operate(process, false, Step::RequestWrite),
                Step::RequestWrite => self.request_disk(process, Step::WriteUncached),
                Step::WriteUncached => self.operate(process, true, Step::CopyUncached),
                Step::CopyUncached => self.copy_uncached(process),
                Step::Done => self.go_to_next_block(process),
                Step::Close => self.close_files(process),
                Step::Finish => self.finish(process),
                Step::Finished => Flow::Waits,
            };
            if flow == Flow::Waits {
                return;
            }
        }
    }

    fn process(&mut self, process: u32) -> &mut Process {
        &mut self.processes[process as usize]
    }

    fn then(&mut self, process: u32, step: Step) -> Flow {
        self.process(process).step = step;
        Flow::On
    }

    /// Delay a process, then continue.
    fn pass(&mut self, process: u32, state: ProcessState, duration_ns: i64, step: Step) -> Flow {
        self.process(process).step = step;
        if duration_ns == 0 {
            return Flow::On;
        }
        self.enter_state(process, state);
        self.events.schedule(duration_ns, Event::Passed(process));
        Flow::Waits
    }

    /// Delay a process by a random time with the given mean, then continue.
    fn spend(&mut self, number: u32, mean_ns: i64, step: Step) -> Flow {
        let spread_permille = self.settings.overheads.spread_permille;
        let rng = &mut self.process(number).rng;
        let delay_ns = rng.around(mean_ns, spread_permille);
        self.pass(number, ProcessState::Overhead, delay_ns, step)
    }

    /// A process begins something that takes a random time with the given mean after all that occupied it before.
    pub fn occupy(&mut self, number: u32, mean_ns: i64) {
        let (now_ns, spread_permille) = (self.now_ns(), self.settings.overheads.spread_permille);
        let process = self.process(number);
        let duration_ns = process.rng.around(mean_ns, spread_permille);
        process.occupied_until_ns = process.occupied_until_ns.max(now_ns) + duration_ns;
    }

    /// Whether a process must first do what occupies it; it is then delayed by that.
    fn is_occupied(&mut self, number: u32) -> bool {
        let left_ns = self.process(number).occupied_until_ns - self.now_ns();
        if left_ns > 0 {
            self.enter_state(number, ProcessState::Overhead);
            self.events.schedule(left_ns, Event::Passed(number));
        }
        left_ns > 0
    }

    /// Take the process's next record, or an untaken one of its application.
    fn take(&mut self, number: u32) -> Flow {
        let process = &mut self.processes[number as usize];
        let left = match process.next < process.end {
            true => Some(process.next),
            false => self.shared[process.application as usize].next(),
        };
        let Some(taken) = left else {
            self.leave_all(number);
            return self.then(number, Step::Close);
        };
        if process.next < process.end {
            process.next += 1;
        }
        let record = self.program.records[taken];
        (process.record, process.number) = (record, taken);
        process.records += 1;
        if record.operation == Operation::Compute || record.length == 0 {
            self.note(LogEvent::Record, Some(number), None);
            return self.pass(number, ProcessState::Computing, record.compute_ns, Step::Take);
        }
        let block_bytes = self.settings.block_bytes;
        process.block = record.offset / block_bytes;
        process.last_block = (record.offset + record.length - 1) / block_bytes;
        process.requests += 1;
        let place = process.place();
        self.note(LogEvent::Record, Some(number), Some(place));
        self.spend(number, self.settings.overheads.jitter_ns, Step::Access)
    }

    fn access(&mut self, number: u32) -> Flow {
        let place = self.process(number).place();
        let block = self.blocks.number(place);
        let process = self.process(number);
        process.block_number = block;
        let writes = process.writes();
        self.measures.accesses += 1;
        if self.settings.buffers == 0 {
            return self.access_uncached(number);
        }
        if self.blocks.touch(block, writes) {
            self.disks.require(place);
        }
        self.turn_to(number, place.file);
        self.then(number, Step::Manage)
    }

    fn manage(&mut self, number: u32) -> Flow {
        let writes = self.process(number).writes();
        let overheads = &self.settings.overheads;
        let mean_ns = match writes {
            true => overheads.write_management_ns,
            false => overheads.read_management_ns,
        };
        self.spend(number, mean_ns, Step::LookUp)
    }

    fn look_for_buffer(&mut self, number: u32) -> Flow {
        match self.look_up(number) {
            true => Flow::On,
            false => Flow::Waits,
        }
    }

    fn queue_read(&mut self, number: u32) -> Flow {
        let buffer = self.process(number).buffer;
        self.wait_for_disk(number, buffer);
        self.enter_state(number, ProcessState::WaitingForRead);
        self.process(number).step = Step::HasBuffer;
        self.read(buffer);
        self.read_ahead(number);
        Flow::Waits
    }

    fn use_buffer(&mut self, number: u32) -> Flow {
        let block_bytes = self.settings.block_bytes;
        if self.waits_for_writing(number) {
            return Flow::Waits;
        }
        if self.settings.overheads.copy_ns_per_kbyte == 0 {
            if self.process(number).writes() {
                self.written(number);
            }
            return self.be_done(number);
        }
        let process = self.process(number);
        process.left_bytes = process.covered_bytes(block_bytes);
        self.then(number, Step::Copy)
    }

    /// Make a process wait if it may not write into its buffer because that is being written to disk; returns whether
    /// it waits.
    fn waits_for_writing(&mut self, number: u32) -> bool {
        let process = self.process(number);
        let (buffer, writes) = (process.buffer, process.writes());
        let is_written = self.buffers.all[buffer as usize].writes > 0;
        let waits = writes && is_written && !self.settings.writes_while_writing;
        if waits {
            self.enter_state(number, ProcessState::WaitingForWrite);
            self.wait_for_disk(number, buffer);
        }
        waits
    }

    /// Copy the next piece, once no other process copies at the buffer.
    fn copy(&mut self, number: u32) -> Flow {
        self.process(number).step = Step::CopyPiece;
        let buffer = self.process(number).buffer;
        let latched = &mut self.buffers.all[buffer as usize];
        if std::mem::replace(&mut latched.is_latched, true) {
            latched.copiers.push(number, &mut self.processes);
            self.enter_state(number, ProcessState::Overhead);
            return Flow::Waits;
        }
        Flow::On
    }

    fn copy_piece(&mut self, number: u32) -> Flow {
        // another process's piece may have started a write of the buffer
        if self.waits_for_writing(number) {
            self.process(number).step = Step::Copy;
            self.let_next_copy(number);
            return Flow::Waits;
        }
        let overheads = &self.settings.overheads;
        let process = &mut self.processes[number as usize];
        process.piece_bytes = match overheads.copy_piece_bytes {
            0 => process.left_bytes,
            most => process.left_bytes.min(most),
        };
        let mean_ns = overheads.copy_ns(process.piece_bytes);
        self.spend(number, mean_ns, Step::PieceCopied)
    }

    /// A piece has been copied: the next process that waits to copy continues.
    fn pass_on(&mut self, number: u32) -> Flow {
        let process = self.process(number);
        process.left_bytes -= process.piece_bytes;
        let left = process.left_bytes;
        if left == 0 && process.writes() {
            self.written(number);
        }
        self.let_next_copy(number);
        match left {
            0 => self.be_done(number),
            _ => self.then(number, Step::Copy),
        }
    }

    /// Hand the copy lock of a process's buffer to the longest waiter.
    fn let_next_copy(&mut self, number: u32) {
        let buffer = self.process(number).buffer;
        let latched = &mut self.buffers.all[buffer as usize];
        match latched.copiers.pop(&self.processes) {
            Some(next) => self.wake(next),
            None => latched.is_latched = false,
        }
    }

    fn be_done(&mut self, number: u32) -> Flow {
        if !self.keeps_blocks() {
            self.leave(number);
        }
        self.then(number, Step::Done)
    }

    /// Without a cache each access goes to the disk; a partial write reads first, unless it is the block's first write.
    fn access_uncached(&mut self, number: u32) -> Flow {
        let block_bytes = self.settings.block_bytes;
        let process = self.process(number);
        let (block, writes) = (process.block_number, process.writes());
        let is_partial = process.covered_bytes(block_bytes) < block_bytes;
        self.blocks.touch(block, writes);
        if !writes {
            return self.request_disk(number, Step::ReadUncached);
        }
        let must_read = is_partial && self.is_on_disk(block);
        let known = self.blocks.get_mut(block);
        let was_written = std::mem::replace(&mut known.written, true);
        if must_read {
            self.measures.rereads += u64::from(was_written);
            return self.request_disk(number, Step::ReadForWrite);
        }
        self.then(number, Step::RequestWrite)
    }

    /// The overhead of a process before a disk operation.
    fn request_disk(&mut self, number: u32, step: Step) -> Flow {
        self.spend(number, self.settings.overheads.disk_request_ns, step)
    }

    fn operate(&mut self, number: u32, writes: bool, then: Step) -> Flow {
        let state = match writes {
            true => ProcessState::WaitingForWrite,
            false => ProcessState::WaitingForRead,
        };
        self.enter_state(number, state);
        self.process(number).step = then;
        self.request_for_process(number, writes);
        Flow::Waits
    }

    fn copy_uncached(&mut self, number: u32) -> Flow {
        let block_bytes = self.settings.block_bytes;
        let bytes = self.process(number).covered_bytes(block_bytes);
        self.spend(number, self.settings.overheads.copy_ns(bytes), Step::Done)
    }

    fn go_to_next_block(&mut self, number: u32) -> Flow {
        let process = self.process(number);
        if process.block < process.last_block {
            process.block += 1;
            return self.then(number, Step::Access);
        }
        let compute_ns = process.record.compute_ns;
        self.pass(number, ProcessState::Computing, compute_ns, Step::Take)
    }

    /// A process has no more records; the last one has dirty buffers written.
    fn close_files(&mut self, number: u32) -> Flow {
        if self.running == 1 {
            self.flush(number);
        }
        self.then(number, Step::Finish)
    }

    fn finish(&mut self, number: u32) -> Flow {
        self.note(LogEvent::Finish, Some(number), None);
        let now_ns = self.now_ns();
        let process = self.process(number);
        process.enter_state(process.state, now_ns);
        (process.finished_ns, process.step) = (now_ns, Step::Finished);
        let gauge = gauge_of(process.state);
        self.watch(gauge, -1);
        self.running -= 1;
        Flow::Waits
    }
}
