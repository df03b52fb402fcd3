//! Disk operations: reads and writes of blocks.

use super::blocks::FileBlock;
use super::disks::{Request, Target};
use super::log::LogEvent;
use super::simulation::{Event, Simulation};
use super::windows::Gauge;

impl Simulation<'_> {
    /// Queue the read of a buffer's block.
    pub fn read(&mut self, buffer: u32) {
        let place = self.buffers.all[buffer as usize].place;
        self.request(place, Target::Buffer(buffer), false);
    }

    /// Queue a write of a buffer's present contents; it occupies the processor of the process that starts it.
    pub fn write(&mut self, buffer: u32, process: u32) {
        self.occupy(process, self.settings.overheads.write_start_ns);
        self.change(buffer, |buffers| buffers.write_queued(buffer));
        let written = &self.buffers.all[buffer as usize];
        let (block, place) = (written.block, written.place);
        self.blocks.get_mut(block).written = true;
        self.request(place, Target::Buffer(buffer), true);
    }

    /// Queue an operation on a process's current block; the process waits for it.
    pub fn request_for_process(&mut self, process: u32, writes: bool) {
        let place = self.processes[process as usize].place();
        self.request(place, Target::Process(process), writes);
    }

    fn request(&mut self, place: FileBlock, target: Target, writes: bool) {
        let disk = self.disks.disk(place);
        let what = match writes {
            true => LogEvent::WriteQueued,
            false => LogEvent::ReadQueued,
        };
        self.note_at(what, None, Some(place), Some(disk));
        self.watch(Gauge::RequestsQueued, 1);
        let request = Request { target, place, writes };
        if self.disks.queue(disk, request) {
            self.start(disk);
        }
    }

    /// A disk starts the first operation in its queue.
    fn start(&mut self, disk: u32) {
        let Some((request, duration_ns)) = self.disks.start(disk, self.events.now_ns()) else {
            return;
        };
        let (what, gauge) = match request.writes {
            true => (LogEvent::WriteStart, Gauge::DisksWriting),
            false => (LogEvent::ReadStart, Gauge::DisksReading),
        };
        self.note_at(what, None, Some(request.place), Some(disk));
        self.watch(Gauge::RequestsQueued, -1);
        self.watch(gauge, 1);
        self.events.schedule(duration_ns, Event::Ended(disk));
    }

    /// A disk has completed an operation: it starts the next one, then the waiting processes are woken.
    pub fn disk_ended(&mut self, disk: u32) {
        let Some(request) = self.disks.end(disk) else {
            return;
        };
        let (what, gauge) = match request.writes {
            true => (LogEvent::WriteEnd, Gauge::DisksWriting),
            false => (LogEvent::ReadEnd, Gauge::DisksReading),
        };
        self.note_at(what, None, Some(request.place), Some(disk));
        self.watch(gauge, -1);
        self.start(disk);
        match request.target {
            Target::Process(process) => self.wake(process),
            Target::Buffer(buffer) if request.writes => self.write_ended(buffer),
            Target::Buffer(buffer) => self.read_ended(buffer),
        }
    }

    fn read_ended(&mut self, buffer: u32) {
        self.change(buffer, |buffers| buffers.all[buffer as usize].is_reading = false);
        self.wake_readers(buffer);
    }

    fn write_ended(&mut self, buffer: u32) {
        self.change(buffer, |buffers| buffers.write_ended(buffer));
        if self.buffers.all[buffer as usize].writes == 0 {
            self.wake_readers(buffer);
        }
        self.serve(buffer);
    }

    /// Wake the processes that wait for a disk operation on a buffer.
    fn wake_readers(&mut self, buffer: u32) {
        let mut readers = std::mem::take(&mut self.buffers.all[buffer as usize].readers);
        while let Some(process) = readers.pop(&self.processes) {
            self.wake(process);
        }
    }
}
