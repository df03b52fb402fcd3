//! Sums of the counts of two slices.

use super::super::component::{Component, Direction};
use super::super::counts::Counts;

/// The most that `Counts` take at once.
const MOST_AT_ONCE: i64 = 1 << 30;

/// Add the counts of further components, of which there may be more.
pub fn add_components(components: &mut Vec<Component>, further: &[Component]) {
    if components.len() < further.len() {
        components.resize_with(further.len(), Component::default);
    }
    for (component, further) in components.iter_mut().zip(further) {
        add_component(component, further);
    }
}

/// Add all but what only the end of a stream counts.
fn add_component(component: &mut Component, further: &Component) {
    add_direction(&mut component.reads, &further.reads);
    add_direction(&mut component.writes, &further.writes);
    component.read_shortfall += further.read_shortfall;
    add_counts(&mut component.read_shortfalls, &further.read_shortfalls);
    add_counts(&mut component.expulsions, &further.expulsions);
    add_counts(&mut component.expulsion_shortfalls, &further.expulsion_shortfalls);
    add_counts(&mut component.syncs, &further.syncs);
    add_counts(&mut component.sync_shortfalls, &further.sync_shortfalls);
}

fn add_direction(direction: &mut Direction, further: &Direction) {
    direction.requests += further.requests;
    direction.blocks += further.blocks;
    add_counts(&mut direction.largest, &further.largest);
    add_counts(&mut direction.others, &further.others);
    add_counts(&mut direction.first_pieces, &further.first_pieces);
    for (&blocks, &requests) in &further.sizes {
        *direction.sizes.entry(blocks).or_insert(0) += requests;
    }
}

fn add_counts(counts: &mut Counts, further: &Counts) {
    further.entries().for_each(|(distance, count)| add(counts, distance, count));
}

/// Add a count of any size.
pub fn add(counts: &mut Counts, distance: u32, mut count: i64) {
    while count != 0 {
        let part = count.clamp(-MOST_AT_ONCE, MOST_AT_ONCE);
        counts.add(distance, part);
        count -= part;
    }
}
