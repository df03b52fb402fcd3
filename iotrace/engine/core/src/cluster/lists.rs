//! Doubly linked lists over frames, their links in arrays that grow: a frame is in at most one list at a time.

/// The number of no frame.
pub const NONE: u32 = u32::MAX;

/// A list's ends, and how many frames it has.
#[derive(Clone, Copy, Debug)]
pub struct List {
    pub first: u32,
    last: u32,
    pub length: u32,
}

impl List {
    pub const EMPTY: List = List {
        first: NONE,
        last: NONE,
        length: 0,
    };
}

/// The links of all frames: before, after.
#[derive(Debug, Default)]
pub struct Links(Vec<[u32; 2]>);

impl Links {
    /// Have one more frame, in no list.
    pub fn grow(&mut self) {
        self.0.push([NONE; 2]);
    }

    pub fn push_last(&mut self, list: &mut List, frame: u32) {
        self.0[frame as usize] = [list.last, NONE];
        match list.last {
            NONE => list.first = frame,
            last => self.0[last as usize][1] = frame,
        }
        list.last = frame;
        list.length += 1;
    }

    pub fn remove(&mut self, list: &mut List, frame: u32) {
        let [before, after] = self.0[frame as usize];
        match before {
            NONE => list.first = after,
            before => self.0[before as usize][1] = after,
        }
        match after {
            NONE => list.last = before,
            after => self.0[after as usize][0] = before,
        }
        list.length -= 1;
    }

    pub fn after(&self, frame: u32) -> u32 {
        self.0[frame as usize][1]
    }
}
