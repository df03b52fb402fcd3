//! The last stage of a sub-batch: follow the dirty levels of the blocks touched, and count. One form for each kind of
//! stream, chosen once for the sub-batch, so that the loop itself need not ask.

use super::caches::{replace, Caches};
use super::plan::{Detail, Plan};
use super::recency::NO_SLOT;
use super::state::OPEN;
use super::sub_batch::{Expulsion, SubBatch};

impl Caches {
    /// Follow the dirty levels of the blocks touched, and count, where each is touched by a request of its own, all is
    /// counted, and no touch has a detail or an older shortfall. What is done does not depend on what is found, so that
    /// the processor need not guess. `SEVERAL`: there may be more than one component.
    #[inline(always)]
    pub(super) fn settle_single<const SEVERAL: bool>(&mut self, plan: &Plan) {
        let SubBatch { former, distances, expulsions, expulsion_count, .. } = &mut *self.sub_batch;
        let states = self.blocks.states.as_mut_slice();
        let components = self.components.as_mut_slice();
        let mut evicted = 0;
        let touches = plan.touches().iter().zip(former.iter()).zip(distances.iter());
        for ((touch, &former), &distance) in touches {
            let (number, write) = (touch.number(), touch.is_write());
            let level = states[number].touch(write, distance);
            let (mut toucher, mut writer) = (0, 0);
            if SEVERAL {
                toucher = touch.component();
                let last_writer = &mut self.writers[number];
                writer = *last_writer as usize;
                *last_writer = if write { toucher } else { writer } as u32;
            }
            let is_evicted = (level != 0) & (level < distance);
            let mask = u32::from(is_evicted).wrapping_neg();
            let (from, to) = (level & mask, distance & mask);
            let counts = &components[writer].expulsions;
            counts.prefetch(from);
            counts.prefetch(to);
            expulsions[evicted] = Expulsion { component: writer as u32, from, to };
            evicted += usize::from(is_evicted);
            let direction = components[toucher].direction(write);
            direction.requests += 1;
            direction.blocks += 1;
            direction.cold_requests += u64::from(former == NO_SLOT);
            direction.largest.count(distance);
        }
        *expulsion_count = evicted;
    }

    /// Follow the dirty levels of the blocks touched, and count. `PLAIN`: all is counted, and no touch has a detail or
    /// an older shortfall. `SEVERAL`: there may be more than one component.
    #[inline(always)]
    pub(super) fn settle<const PLAIN: bool, const SEVERAL: bool>(&mut self, plan: &Plan) {
        let SubBatch { former, distances, expulsions, expulsion_count, .. } = &mut *self.sub_batch;
        let states = self.blocks.states.as_mut_slice();
        let components = self.components.as_mut_slice();
        let counting = PLAIN || self.counting;
        let mut request = std::mem::take(&mut self.request);
        let mut evicted = 0;
        let places = plan.touches().iter().zip(former.iter()).zip(distances.iter()).enumerate();
        for (place, ((touch, &former), &distance)) in places {
            let (number, write) = (touch.number(), touch.is_write());
            let level = states[number].touch(write, distance);
            let mut writer = 0;
            if SEVERAL && (level != 0 || write) {
                if let Some(last_writer) = self.writers.get_mut(number) {
                    writer = *last_writer;
                    *last_writer = if write { touch.component() as u32 } else { writer };
                }
            }
            let is_evicted = counting && level != 0 && level < distance;
            expulsions[evicted] = Expulsion { component: writer, from: level, to: distance };
            evicted += usize::from(is_evicted);
            if is_evicted {
                let expulsions = &components[writer as usize].expulsions;
                expulsions.prefetch(level);
                expulsions.prefetch(distance);
            }
            let component = &mut components[if SEVERAL { touch.component() } else { 0 }];
            if counting {
                let cold = former == NO_SLOT;
                request.block(component.direction(write), distance, cold, touch.is_last());
            }
            if PLAIN {
                continue;
            }
            let detail = plan.detail(place);
            if counting && !write {
                component.read_shortfall(distance, detail.shortfall);
            }
            if let Some(coverage) = &mut self.coverage {
                coverage.touch(number, distance);
                if write {
                    let counts = counting.then_some(&mut *component);
                    coverage.write(number, detail.start, detail.end, counts);
                }
            }
            if let (true, 0, Some(dirty)) = (write, level, &mut self.dirty) {
                dirty.note(detail.file, detail.block, number);
            }
            if level != 0 || write {
                let former = replace(&mut self.shortfalls, number, detail.shortfall);
                if is_evicted && former != 0 {
                    let counts = &mut components[writer as usize].expulsion_shortfalls;
                    counts.add_stretch(level, distance, former);
                }
            }
        }
        *expulsion_count = evicted;
        self.request = request;
    }

    /// `settle` for a slice. The dirty level of a block that the slice has not written is `OPEN` and the largest distance
    /// at which it was touched again. `PLAIN`: no touch has a detail, and no block had a shortfall.
    #[inline(always)]
    pub(super) fn settle_slice<const PLAIN: bool>(&mut self, plan: &Plan) {
        let Some(slice) = &mut self.slice else {
            return;
        };
        let SubBatch { former, distances, expulsions, expulsion_count, .. } = &mut *self.sub_batch;
        let states = self.blocks.states.as_mut_slice();
        slice.make_room(states.len());
        let mut evicted = 0;
        let places = plan.touches().iter().zip(former.iter()).zip(distances.iter()).enumerate();
        for (place, ((touch, &former), &distance)) in places {
            let (number, write) = (touch.number(), touch.is_write());
            let detail = if PLAIN { Detail::default() } else { plan.detail(place) };
            let (is_first, open) = (former == NO_SLOT, states[number].dirty_level & OPEN);
            if is_first {
                slice.first_use(*touch, detail.shortfall);
                states[number].dirty_level = if write { 1 } else { OPEN };
            } else if open != 0 && (write || !PLAIN) {
                slice.use_again(number, states[number].dirty_level, distance);
            }
            let level = if is_first { 0 } else { states[number].touch(write, distance | open) };
            let is_dirty = level != 0 && open == 0;
            let mut writer = 0;
            if is_dirty || write {
                if let Some(last_writer) = self.writers.get_mut(number) {
                    writer = *last_writer;
                    *last_writer = if write { touch.component() as u32 } else { writer };
                }
            }
            let is_evicted = is_dirty && level < distance;
            expulsions[evicted] = Expulsion { component: writer, from: level, to: distance };
            evicted += usize::from(is_evicted);
            if is_evicted {
                let expulsions = &self.components[writer as usize].expulsions;
                expulsions.prefetch(level);
                expulsions.prefetch(distance);
            }
            let component = &mut self.components[touch.component()];
            slice.touch(*touch, is_first, distance, component.direction(write));
            if PLAIN {
                continue;
            }
            slice.note_shortfall(number, detail.shortfall);
            if !write {
                component.read_shortfall(distance, detail.shortfall);
            }
            if let (true, false, Some(dirty)) = (write, is_dirty, &mut self.dirty) {
                dirty.note(detail.file, detail.block, number);
            }
            if is_dirty || write {
                let former = replace(&mut self.shortfalls, number, detail.shortfall);
                if is_evicted && former != 0 {
                    let counts = &mut self.components[writer as usize].expulsion_shortfalls;
                    counts.add_stretch(level, distance, former);
                }
            }
        }
        *expulsion_count = evicted;
    }
}
