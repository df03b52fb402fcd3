//! One way to split a cache: its parts, and how space moves between them.

use super::settings::{Part, Settings};
use super::subcache::{Margin, Subcache};
use super::table::Quanta;
use crate::cache::replay::{Step, Tape};

/// What rows do to parts, in order.
#[derive(Debug, Default)]
pub struct Rows {
    /// Requests and drops, whose block numbers are those of their part.
    pub tape: Tape,
    /// The part of each step.
    pub places: Vec<usize>,
}

/// A part of the cache, in operation.
#[derive(Debug)]
pub struct Busy {
    /// Its settings.
    pub part: Part,
    /// Its blocks.
    pub subcache: Subcache,
    /// Its space so far.
    pub quanta: Quanta,
}

/// A partition. Each part counts the request misses that one quantum more would have saved (all missed blocks are among
/// those evicted last, or a request larger than the part would have had fewer pieces) and those that one quantum less
/// would have added (a block that hits is among the last of the LRU list, or there would have been more pieces). After
/// every period, the part with the most to gain gets a quantum from the part with the least to lose, if the gain is
/// larger than the loss; no part gives up its last quantum. Then all counts are multiplied by a number below one, so that
/// old ones fade.
#[derive(Debug)]
pub struct Lane {
    /// Its settings.
    pub settings: Settings,
    /// The parts; the last one, of size zero, takes the requests of all other components.
    pub parts: Vec<Busy>,
    /// Requests since counting began.
    pub counted_requests: u64,
    /// Quanta that moved.
    pub moves: u64,
    since_decision: u64,
    /// The counted requests over which the parts' space is summed.
    summed_requests: u64,
}

impl Lane {
    /// An empty cache; `uncached` is the part of what no part takes.
    pub fn new(settings: Settings, uncached: Part) -> Self {
        let busy = |part: &Part| {
            let quantum_blocks = settings.quantum_bytes / u64::from(part.block_bytes);
            Busy {
                part: *part,
                subcache: Subcache::new(part.quanta * quantum_blocks, quantum_blocks),
                quanta: Quanta { now: part.quanta, least: part.quanta, most: part.quanta, sum: 0 },
            }
        };
        Lane {
            parts: settings.parts.iter().chain([&uncached]).map(busy).collect(),
            settings,
            counted_requests: 0,
            moves: 0,
            since_decision: 0,
            summed_requests: 0,
        }
    }

    /// Apply rows, whose block numbers are below `blocks` of their part.
    pub fn follow(&mut self, rows: &Rows, blocks: &[usize]) {
        for (busy, &blocks) in self.parts.iter_mut().zip(blocks) {
            busy.subcache.prepare(blocks);
        }
        let mut rest = rows.tape.touches.as_slice();
        for (step, &place) in rows.tape.steps.iter().zip(&rows.places) {
            let (touched, after) = rest.split_at(step.blocks() as usize);
            rest = after;
            let Some(busy) = self.parts.get_mut(place) else {
                continue;
            };
            busy.subcache.follow(step, touched, self.settings.counts_writes);
            if let Step::Request(request) = step {
                self.after_request(request.counted);
            }
        }
        self.sum_space();
    }

    fn after_request(&mut self, counted: bool) {
        self.counted_requests += u64::from(counted);
        self.since_decision += 1;
        if self.since_decision == self.settings.period_requests {
            self.since_decision = 0;
            self.sum_space();
            self.decide();
            for busy in &mut self.parts {
                let Margin { gain, loss } = &mut busy.subcache.margin;
                (*gain, *loss) = (*gain * self.settings.fade, *loss * self.settings.fade);
            }
        }
    }

    /// Add the parts' space to its sum, once for each request that was counted since it changed.
    fn sum_space(&mut self) {
        let requests = u128::from(self.counted_requests - self.summed_requests);
        for busy in &mut self.parts {
            busy.quanta.sum += requests * u128::from(busy.quanta.now);
        }
        self.summed_requests = self.counted_requests;
    }

    /// Move a quantum if the gain is larger than the loss.
    fn decide(&mut self) {
        let count = self.parts.len() - 1;
        let gain = |busy: &Busy| busy.subcache.margin.gain * busy.part.weight;
        let loss = |busy: &Busy| busy.subcache.margin.loss * busy.part.weight;
        let mut winner = 0;
        for place in 1..count {
            if gain(&self.parts[place]) > gain(&self.parts[winner]) {
                winner = place;
            }
        }
        let mut loser = None;
        for place in (0..count).filter(|&place| place != winner) {
            let candidate = &self.parts[place];
            let less = loser.is_none_or(|loser: usize| loss(candidate) < loss(&self.parts[loser]));
            if candidate.quanta.now > 1 && less {
                loser = Some(place);
            }
        }
        let Some(loser) = loser else {
            return;
        };
        if gain(&self.parts[winner]) > loss(&self.parts[loser]) {
            let from = self.parts[loser].quanta.now - 1;
            let to = self.parts[winner].quanta.now + 1;
            self.parts[loser].resize(from, self.settings.quantum_bytes);
            self.parts[winner].resize(to, self.settings.quantum_bytes);
            self.moves += 1;
        }
    }
}

impl Busy {
    fn resize(&mut self, quanta: u64, quantum_bytes: u64) {
        self.quanta.now = quanta;
        self.quanta.least = self.quanta.least.min(quanta);
        self.quanta.most = self.quanta.most.max(quanta);
        self.subcache.resize(quanta * (quantum_bytes / u64::from(self.part.block_bytes)));
    }
}
