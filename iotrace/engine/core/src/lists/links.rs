//! Doubly linked lists over numbered items, their links in arrays: an item is in at most one list at a time.

/// No item.
pub const NONE: u32 = u32::MAX;

/// A list's ends, and how many items it has.
#[derive(Clone, Copy, Debug)]
pub struct List {
    pub first: u32,
    pub last: u32,
    pub length: u32,
}

impl List {
    pub const EMPTY: List = List { first: NONE, last: NONE, length: 0 };

    pub fn is_empty(&self) -> bool {
        self.first == NONE
    }
}

/// The links of all items; at first there is none.
#[derive(Debug, Default)]
pub struct Links {
    before: Vec<u32>,
    after: Vec<u32>,
}

impl Links {
    /// Add an item, in no list; return its number.
    pub fn add(&mut self) -> u32 {
        self.before.push(NONE);
        self.after.push(NONE);
        self.before.len() as u32 - 1
    }

    pub fn push_last(&mut self, list: &mut List, item: u32) {
        self.before[item as usize] = list.last;
        self.after[item as usize] = NONE;
        match list.last {
            NONE => list.first = item,
            last => self.after[last as usize] = item,
        }
        list.last = item;
        list.length += 1;
    }

    pub fn push_first(&mut self, list: &mut List, item: u32) {
        self.before[item as usize] = NONE;
        self.after[item as usize] = list.first;
        match list.first {
            NONE => list.last = item,
            first => self.before[first as usize] = item,
        }
        list.first = item;
        list.length += 1;
    }

    pub fn remove(&mut self, list: &mut List, item: u32) {
        let (before, after) = (self.before[item as usize], self.after[item as usize]);
        match before {
            NONE => list.first = after,
            before => self.after[before as usize] = after,
        }
        match after {
            NONE => list.last = before,
            after => self.before[after as usize] = before,
        }
        list.length -= 1;
    }

    /// The item after this one, or `NONE`.
    pub fn after(&self, item: u32) -> u32 {
        self.after[item as usize]
    }

    /// The items of a list, first to last.
    pub fn items<'a>(&'a self, list: &List) -> impl Iterator<Item = u32> + 'a {
        let mut next = list.first;
        std::iter::from_fn(move || {
            let item = next;
            (item != NONE).then(|| {
                next = self.after[item as usize];
                item
            })
        })
    }
}
