//! The state of a drive: its arm, its buffer, and the bus to the host. It serves one request at a time.

use super::buffer::{OnBoardBuffer, ReadAhead, Reporting, Segments};
use super::drive::{Drive, WriteDisconnect};
use super::mechanism::Mechanism;
use super::stream::Stream;
use std::ops::Range;
use std::sync::Arc;

/// The response time of a request, in parts that sum to `end_ns` minus its arrival.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Service {
    /// The drive's command overhead, before and after.
    pub overhead_ns: i64,
    /// The time after the command overhead in which the arm moved for the request.
    pub seek_ns: i64,
    /// The time in which it waited for sectors.
    pub rotation_ns: i64,
    /// The rest: medium and bus, which overlap.
    pub transfer_ns: i64,
    pub end_ns: i64,
}

/// A drive with a state.
#[derive(Clone, Debug)]
pub struct Device {
    drive: Arc<Drive>,
    arm: Mechanism,
    /// When the arm has finished the work of earlier requests.
    free_ns: i64,
    /// The read-ahead after the last request, if any.
    ahead: Option<Ahead>,
    segments: Segments,
    last_was_write: bool,
    /// The end of the write whose blocks may still be on their way to the medium.
    written_to: Option<u64>,
    /// The arm was last busy with a write.
    busy_writing: bool,
    /// The last read's first block, and when each of its blocks had left the buffer.
    sent: (u64, Vec<i64>),
}

/// A read-ahead: its segment and its end.
#[derive(Clone, Copy, Debug)]
struct Ahead {
    stream: Stream,
    segment: u64,
    end: u64,
    /// The read-ahead cannot be interrupted before this block.
    least_end: u64,
}

impl Device {
    /// A drive in its initial state: arm on cylinder 0, buffer empty.
    pub fn new(drive: Arc<Drive>) -> Self {
        let segments = drive
            .parameters
            .buffer
            .map_or(Segments::new(0, 0), |buffer| Segments::new(buffer.segments, buffer.segment_blocks));
        Device {
            drive,
            arm: Mechanism::default(),
            free_ns: 0,
            ahead: None,
            segments,
            last_was_write: false,
            written_to: None,
            busy_writing: false,
            sent: (0, Vec::new()),
        }
    }

    /// Serve a request for `blocks` blocks (at least 1) from `lbn` on, all on the drive, that does not arrive before
    /// the last one's end.
    pub fn serve(&mut self, at_ns: i64, lbn: u64, blocks: u64, write: bool) -> Service {
        self.read_on(at_ns);
        let blocks = lbn..lbn + blocks;
        let service = match write {
            true => self.write(at_ns, &blocks),
            false => self.read(at_ns, &blocks),
        };
        self.last_was_write = write;
        service
    }

    fn read(&mut self, at_ns: i64, blocks: &Range<u64>) -> Service {
        let overheads = self.drive.parameters.overheads;
        let hit = self.find(blocks.start);
        let command_ns = overheads.read_ns(hit.is_some(), self.last_was_write);
        // the arm starts as after a miss
        let start_ns = at_ns + overheads.read_ns(false, self.last_was_write);
        let (mut ahead, held_to) = match &hit {
            Some((segment, held)) => {
                let segment = *segment;
                self.segments.renew(segment);
                (self.go_on(segment, held.end, start_ns, at_ns), held.end)
            }
            None => {
                self.stop(at_ns);
                let segment = self.segments.take(blocks.start);
                (self.ahead_of(segment, blocks.start, start_ns), blocks.start)
            }
        };
        let (seek_ns, rotation_ns) = (ahead.stream.seek_ns, ahead.stream.rotation_ns);
        let bus_ns = self.send(&mut ahead.stream, blocks, held_to, at_ns, command_ns);
        self.segments.extend(ahead.segment, blocks.end);
        ahead.end = self.limit(blocks, ahead.segment).max(ahead.stream.next);
        ahead.least_end = self.least_end(blocks);
        let moved = (ahead.stream.seek_ns - seek_ns, ahead.stream.rotation_ns - rotation_ns);
        let whole_hit = blocks.end <= held_to;
        if !whole_hit {
            self.busy_writing = false;
            self.arm = ahead.stream.arm;
            self.free_ns = ahead.stream.ready_ns;
        }
        let reads_on = self.drive.parameters.buffer.is_some_and(|buffer| {
            buffer.read_ahead != ReadAhead::No && (!whole_hit || buffer.read_ahead_on_hit)
        });
        let was_reading = self.ahead.is_some_and(|old| old.segment == ahead.segment);
        if reads_on || was_reading {
            self.ahead = Some(ahead);
        }
        let overhead_ns = command_ns + overheads.read_completion_ns;
        service(at_ns, bus_ns + overheads.read_completion_ns, overhead_ns, moved)
    }

    /// Send a read's blocks over the bus as they enter the buffer, and return the time when the last has left it.
    fn send(
        &mut self,
        stream: &mut Stream,
        blocks: &Range<u64>,
        held_to: u64,
        at_ns: i64,
        command_ns: i64,
    ) -> i64 {
        self.sent = (blocks.start, Vec::new());
        let enough = self.enough_to_reconnect(blocks.end - blocks.start);
        let holds_bus = self.drive.parameters.buffer.is_none_or(|buffer| buffer.holds_bus);
        let (mut bus_ns, mut connected) = (at_ns + command_ns, blocks.start < held_to);
        // the arrival time of each block that was not in the buffer at first
        let (mut come, first_to_come) = (Vec::new(), blocks.start.max(held_to));
        for block in blocks.clone() {
            if block >= held_to {
                let number = (block - first_to_come) as usize;
                self.fetch(stream, &mut come, number + 1);
                connected &= holds_bus || come[number] <= bus_ns;
                if !connected {
                    let enough = enough.min(blocks.end - block) as usize;
                    self.fetch(stream, &mut come, number + enough);
                    let waited = come[number..number + enough].iter();
                    bus_ns = waited.fold(bus_ns, |latest, &come| latest.max(come));
                    bus_ns += self.drive.parameters.overheads.read_reconnection_ns;
                    connected = true;
                }
                bus_ns = bus_ns.max(come[number]);
            }
            bus_ns += self.drive.parameters.bus_read_block_ns;
            self.sent.1.push(bus_ns);
        }
        bus_ns
    }

    /// Continue reading until `wanted` blocks have arrived.
    fn fetch(&self, stream: &mut Stream, come: &mut Vec<i64>, wanted: usize) {
        while come.len() < wanted {
            come.push(stream.step(&self.drive, self.room_ns(stream.next)));
        }
    }

    fn write(&mut self, at_ns: i64, blocks: &Range<u64>) -> Service {
        self.stop(at_ns);
        self.segments.forget(blocks);
        let apart = self.drive.parameters.write_disconnect;
        let elsewhere = self.last_was_write && self.written_to != Some(blocks.start);
        let timing = self.write_timing(apart.filter(|_| elsewhere));
        let appends = self.written_to == Some(blocks.start) && self.free_ns > at_ns;
        let starts_ns = match appends {
            true => self.free_ns,
            false => self.free_ns.max(at_ns + timing.command_ns + timing.seek_delay_ns),
        };
        let mut stream = Stream::new(self.arm, blocks.start, starts_ns, true, false);
        stream.least_move_ns = if appends { 0 } else { self.drive.parameters.least_write_seek_ns };
        let size = self.segment_blocks();
        let count = blocks.end - blocks.start;
        let mut data_ns = at_ns + timing.command_ns + timing.data_delay_ns;
        if !appends && self.busy_writing {
            // there is one segment for writes, and its contents are written elsewhere
            data_ns = data_ns.max(self.free_ns);
        }
        let first_ns = apart.map_or(i64::MIN, |_| {
            let first = WriteDisconnect::first_blocks(count).min(size);
            data_ns + first as i64 * self.drive.parameters.bus_write_block_ns
        });
        let (mut bus_ns, mut on_medium) = (data_ns, Vec::new());
        for number in 0..count {
            if number >= size {
                bus_ns = bus_ns.max(on_medium[(number - size) as usize]);
            }
            bus_ns += self.drive.parameters.bus_write_block_ns;
            on_medium.push(stream.step(&self.drive, bus_ns.max(first_ns)));
        }
        self.arm = stream.arm;
        self.free_ns = stream.ready_ns;
        self.busy_writing = true;
        self.written_to = Some(blocks.end);
        self.keep_written(blocks);
        let reporting = self.drive.parameters.buffer.map_or(Reporting::Medium, |buffer| buffer.reporting);
        let in_buffer = match reporting {
            Reporting::Medium => false,
            Reporting::Sequential => appends,
            Reporting::Buffer => true,
        };
        let end_ns = if in_buffer { bus_ns } else { stream.ready_ns.max(bus_ns) };
        let moved = match in_buffer {
            true => (0, 0),
            false => (stream.seek_ns, stream.rotation_ns),
        };
        let overhead_ns = timing.command_ns + timing.completion_ns;
        service(at_ns, end_ns + timing.completion_ns, overhead_ns, moved)
    }

    /// The command overhead of a write, with or without a disconnect from the bus first.
    fn write_timing(&self, apart: Option<WriteDisconnect>) -> WriteDisconnect {
        let overheads = self.drive.parameters.overheads;
        let plain = WriteDisconnect {
            command_ns: overheads.write_ns(self.last_was_write),
            seek_delay_ns: 0,
            data_delay_ns: 0,
            completion_ns: overheads.write_completion_ns,
        };
        apart.map_or(plain, |apart| WriteDisconnect {
            completion_ns: (plain.completion_ns + apart.completion_ns).max(0),
            ..apart
        })
    }

    /// Advance the read-ahead to this time.
    fn read_on(&mut self, at_ns: i64) {
        let Some(mut ahead) = self.ahead else {
            return;
        };
        while ahead.stream.next < ahead.end {
            let mut next = ahead.stream;
            if next.step(&self.drive, self.room_ns(next.next)) > at_ns {
                break;
            }
            ahead.stream = next;
        }
        self.segments.extend(ahead.segment, ahead.stream.next);
        self.ahead = Some(ahead);
    }

    /// Interrupt the read-ahead.
    fn stop(&mut self, at_ns: i64) {
        let stops_in_sector = self.drive.parameters.buffer.is_some_and(|buffer| buffer.stops_in_sector);
        if let Some(mut ahead) = self.ahead.take() {
            while ahead.stream.next < ahead.least_end {
                ahead.stream.step(&self.drive, self.room_ns(ahead.stream.next));
                self.segments.extend(ahead.segment, ahead.stream.next);
            }
            let (arm, free_ns) = ahead.stream.called_away(&self.drive, at_ns, ahead.end, stops_in_sector);
            (self.arm, self.free_ns) = (arm, free_ns);
        }
    }

    /// The stream that fills a segment which holds the blocks before `held_end`: the current one, or a new one.
    fn go_on(&mut self, segment: u64, held_end: u64, start_ns: i64, at_ns: i64) -> Ahead {
        if let Some(ahead) = self.ahead.filter(|ahead| ahead.segment == segment) {
            if ahead.stream.next < ahead.end {
                return ahead;
            }
        }
        self.stop(at_ns);
        self.ahead_of(segment, held_end, start_ns)
    }

    fn ahead_of(&self, segment: u64, next: u64, start_ns: i64) -> Ahead {
        let zero_latency = self.drive.parameters.buffer.is_some_and(|buffer| buffer.zero_latency_reads);
        let ready_ns = start_ns.max(self.free_ns);
        Ahead {
            stream: Stream::new(self.arm, next, ready_ns, false, zero_latency),
            segment,
            end: next,
            least_end: next,
        }
    }

    /// The time from which the buffer has space for a block: those of the last read that it replaces must have left.
    fn room_ns(&self, block: u64) -> i64 {
        let (first, sent) = &self.sent;
        let replaced = block.checked_sub(self.segment_blocks());
        let left = replaced.and_then(|block| block.checked_sub(*first));
        let left = left.and_then(|number| sent.get(number as usize));
        left.copied().unwrap_or(i64::MIN)
    }

    /// The segment that holds a block, or into which it is being read ahead, and the end of its blocks.
    fn find(&self, lbn: u64) -> Option<(u64, Range<u64>)> {
        let being_read = || {
            let buffer = self.drive.parameters.buffer.filter(|buffer| buffer.hits_next_block)?;
            let ahead = self.ahead.filter(|ahead| ahead.stream.next < ahead.end)?;
            (buffer.hits_next_block && ahead.stream.next == lbn).then_some((ahead.segment, lbn..lbn))
        };
        self.segments.find(lbn).or_else(being_read)
    }

    /// The number of blocks of a read that are in the buffer when it takes the bus.
    fn enough_to_reconnect(&self, blocks: u64) -> u64 {
        let percent = self.drive.parameters.buffer.map_or(0, |buffer| buffer.reconnect_percent);
        let most = blocks.min(self.segment_blocks());
        (most * u64::from(percent) / 100).max(1)
    }

    fn least_end(&self, blocks: &Range<u64>) -> u64 {
        let least = self.drive.parameters.buffer.map_or(0, |buffer| buffer.least_read_ahead_blocks);
        (blocks.end + u64::from(least)).min(self.drive.geometry.blocks())
    }

    /// The end of the read-ahead after a read.
    fn limit(&self, blocks: &Range<u64>, segment: u64) -> u64 {
        let geometry = &self.drive.geometry;
        let Some(buffer) = self.drive.parameters.buffer else {
            return blocks.end;
        };
        let last = blocks.end - 1;
        let size = u64::from(buffer.segment_blocks);
        let to = match buffer.read_ahead {
            ReadAhead::No => blocks.end,
            ReadAhead::Track => geometry.blocks_of_track(geometry.track(last)).end,
            ReadAhead::NextTrack => self.next_track_end(blocks.end, segment),
            ReadAhead::Cylinder => geometry.blocks_of_cylinder(geometry.cylinder(last)).end,
            ReadAhead::Segment => blocks.end + size,
        };
        let most = match buffer.most_read_ahead_blocks {
            0 => blocks.end + size,
            most => blocks.end + u64::from(most),
        };
        to.min(most).min(geometry.blocks()).max(blocks.end)
    }

    fn next_track_end(&self, next: u64, segment: u64) -> u64 {
        let geometry = &self.drive.geometry;
        if next >= geometry.blocks() {
            return next;
        }
        let track = geometry.blocks_of_track(geometry.track(next));
        let streams = self.segments.first_block(segment).is_some_and(|first| first < track.start);
        match streams && track.end < geometry.blocks() {
            true => geometry.blocks_of_track(geometry.track(track.end)).end,
            false => track.end,
        }
    }

    fn keep_written(&mut self, blocks: &Range<u64>) {
        let Some(OnBoardBuffer { separate_write_segment: false, reads_hit_writes, .. }) =
            self.drive.parameters.buffer
        else {
            return;
        };
        let segment = self.segments.take(blocks.start);
        if reads_hit_writes {
            self.segments.extend(segment, blocks.end);
        }
    }

    fn segment_blocks(&self) -> u64 {
        self.drive.parameters.buffer.map_or(u64::MAX, |buffer| u64::from(buffer.segment_blocks))
    }
}

fn service(at_ns: i64, end_ns: i64, overhead_ns: i64, moved: (i64, i64)) -> Service {
    let left_ns = end_ns - at_ns - overhead_ns;
    let seek_ns = moved.0.min(left_ns);
    let rotation_ns = moved.1.min(left_ns - seek_ns);
    Service { overhead_ns, seek_ns, rotation_ns, transfer_ns: left_ns - seek_ns - rotation_ns, end_ns }
}
