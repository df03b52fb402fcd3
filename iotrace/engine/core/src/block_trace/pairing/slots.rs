//! Values that are referred to by number, in places that are used again.

/// A value's place, and which of those that were there it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    place: u32,
    turn: u32,
}

/// Values; a slot whose value was taken away refers to nothing.
#[derive(Debug)]
pub struct Slots<T> {
    values: Vec<(u32, Option<T>)>,
    free: Vec<u32>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Slots { values: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slots<T> {
    pub fn insert(&mut self, value: T) -> Slot {
        match self.free.pop() {
            Some(place) => {
                let (turn, free) = &mut self.values[place as usize];
                *turn = turn.wrapping_add(1);
                *free = Some(value);
                Slot { place, turn: *turn }
            }
            None => {
                self.values.push((0, Some(value)));
                Slot { place: self.values.len() as u32 - 1, turn: 0 }
            }
        }
    }

    pub fn get(&self, slot: Slot) -> Option<&T> {
        let (turn, value) = &self.values[slot.place as usize];
        value.as_ref().filter(|_| *turn == slot.turn)
    }

    pub fn get_mut(&mut self, slot: Slot) -> Option<&mut T> {
        let (turn, value) = &mut self.values[slot.place as usize];
        value.as_mut().filter(|_| *turn == slot.turn)
    }

    pub fn take(&mut self, slot: Slot) -> Option<T> {
        let (turn, value) = &mut self.values[slot.place as usize];
        if *turn != slot.turn || value.is_none() {
            return None;
        }
        self.free.push(slot.place);
        value.take()
    }
}
