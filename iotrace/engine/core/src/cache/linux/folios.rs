//! Folios, which are cached pages that share a fate, and the two lists that they are on.

const NONE: u32 = u32::MAX;

/// On the active list.
pub const ACTIVE: u16 = 1;
/// Read once since it came into the cache or was last promoted.
pub const REFERENCED: u16 = 2;
/// Was on the active list before.
pub const WORKINGSET: u16 = 4;
/// Has data that the device lacks.
pub const DIRTY: u16 = 8;
/// A read of it opens the next read-ahead window, and it goes to the tail of the inactive list once it is written: the
/// kernel has one bit for both, which read-ahead or reclaim sets.
pub const MARKED: u16 = 16;
/// Touched through a page table since reclaim last looked.
pub const YOUNG: u16 = 32;
/// In use by a read that has not ended.
pub const PINNED: u16 = 64;
/// In a page table.
pub const MAPPED: u16 = 128;
/// On its way to the device.
pub const WRITEBACK: u16 = 256;
/// On no list yet.
pub const BATCHED: u16 = 512;
/// It cannot be evicted until the device has its data.
pub const UNWRITTEN: u16 = DIRTY | WRITEBACK;

/// Cached pages of a file.
#[derive(Debug, Clone, Copy)]
pub struct Folio {
    /// Its file.
    pub file: u32,
    /// Its first page.
    pub page: u64,
    /// It has two to the power of this many pages.
    pub order: u8,
    /// What holds of it.
    pub flags: u16,
    /// Tells it from the folio that had its number before.
    pub stamp: u32,
    /// The round in which reclaim looked at it last, as a mapped one.
    pub round: u32,
    previous: u32,
    next: u32,
}

impl Folio {
    /// How many pages it has.
    pub fn pages(&self) -> u64 {
        1 << self.order
    }

    /// Whether one of these flags is set.
    pub fn is(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    /// Whether a program touched it since reclaim last looked. With `is_always_touched` a mapped one is young at the
    /// first look of each round.
    pub fn is_young(&self, round: u32, is_always_touched: bool) -> bool {
        self.is(YOUNG) || (is_always_touched && self.is(MAPPED) && self.round != round)
    }
}

#[derive(Debug, Clone, Copy)]
struct List {
    head: u32,
    tail: u32,
    pages: u64,
}

/// The folios, and the inactive and the active list, whose head is what was added last.
#[derive(Debug, Clone)]
pub struct Folios {
    folios: Vec<Folio>,
    free: Vec<u32>,
    lists: [List; 2],
    /// Of folios that are on no list yet.
    batched_pages: u64,
    stamps: u32,
}

impl Folios {
    /// No folios.
    pub fn new() -> Self {
        let empty = List { head: NONE, tail: NONE, pages: 0 };
        Folios { folios: Vec::new(), free: Vec::new(), lists: [empty; 2], batched_pages: 0, stamps: 0 }
    }

    /// A folio by its number.
    #[inline]
    pub fn get(&self, id: u32) -> &Folio {
        &self.folios[id as usize]
    }

    /// Set flags other than `ACTIVE`.
    #[inline]
    pub fn set(&mut self, id: u32, flags: u16) {
        self.folios[id as usize].flags |= flags;
    }

    /// Remove flags other than `ACTIVE`.
    #[inline]
    pub fn clear(&mut self, id: u32, flags: u16) {
        self.folios[id as usize].flags &= !flags;
    }

    /// Reclaim looked at a folio in this round: it is not young any more.
    pub fn look_at(&mut self, id: u32, round: u32) {
        let folio = &mut self.folios[id as usize];
        folio.round = round;
        folio.flags &= !YOUNG;
    }

    /// How many folios were cached at the same time.
    pub fn len(&self) -> usize {
        self.folios.len()
    }

    /// Pages on the inactive list.
    pub fn inactive_pages(&self) -> u64 {
        self.lists[0].pages
    }

    /// Pages on the active list.
    pub fn active_pages(&self) -> u64 {
        self.lists[1].pages
    }

    /// Pages in all.
    pub fn pages(&self) -> u64 {
        self.lists[0].pages + self.lists[1].pages + self.batched_pages
    }

    /// The folio at the tail of a list.
    pub fn tail(&self, is_active: bool) -> Option<u32> {
        Some(self.lists[usize::from(is_active)].tail).filter(|&id| id != NONE)
    }

    /// Add a folio at the head of the list that its flags name, or on no list; return its number.
    pub fn add(&mut self, file: u32, page: u64, order: u8, flags: u16) -> u32 {
        self.stamps = self.stamps.wrapping_add(1);
        let folio =
            Folio { file, page, order, flags, stamp: self.stamps, round: 0, previous: NONE, next: NONE };
        let id = match self.free.pop() {
            Some(id) => {
                self.folios[id as usize] = folio;
                id
            }
            None => {
                self.folios.push(folio);
                (self.folios.len() - 1) as u32
            }
        };
        if flags & BATCHED == 0 {
            self.link_head(id);
        } else {
            self.batched_pages += self.folios[id as usize].pages();
        }
        id
    }

    /// Add a folio that was on no list at the head of the list that its flags name.
    pub fn list(&mut self, id: u32) {
        self.unlink(id);
        self.clear(id, BATCHED);
        self.link_head(id);
    }

    /// Give a folio a new stamp, and return it.
    pub fn stamp(&mut self, id: u32) -> u32 {
        self.stamps = self.stamps.wrapping_add(1);
        self.folios[id as usize].stamp = self.stamps;
        self.stamps
    }

    /// Remove a folio.
    pub fn remove(&mut self, id: u32) {
        self.unlink(id);
        self.free.push(id);
    }

    /// Move a folio to the head of a list; one that is on no list gets there later.
    pub fn move_to_head(&mut self, id: u32, is_active: bool) {
        if self.get(id).is(BATCHED) {
            self.set_active(id, is_active);
            return;
        }
        self.unlink(id);
        self.set_active(id, is_active);
        self.link_head(id);
    }

    /// Move a folio to the tail of the inactive list, if it is on a list.
    pub fn move_to_inactive_tail(&mut self, id: u32) {
        if self.get(id).is(BATCHED) {
            return;
        }
        self.unlink(id);
        self.set_active(id, false);
        let list = &mut self.lists[0];
        let previous = std::mem::replace(&mut list.tail, id);
        list.pages += self.folios[id as usize].pages();
        if previous == NONE {
            list.head = id;
        } else {
            self.folios[previous as usize].next = id;
        }
        let folio = &mut self.folios[id as usize];
        (folio.previous, folio.next) = (previous, NONE);
    }

    fn set_active(&mut self, id: u32, is_active: bool) {
        let flags = &mut self.folios[id as usize].flags;
        *flags = if is_active { *flags | ACTIVE } else { *flags & !ACTIVE };
    }

    fn link_head(&mut self, id: u32) {
        let folio = self.folios[id as usize];
        let list = &mut self.lists[usize::from(folio.is(ACTIVE))];
        let next = std::mem::replace(&mut list.head, id);
        list.pages += folio.pages();
        if next == NONE {
            list.tail = id;
        } else {
            self.folios[next as usize].previous = id;
        }
        let folio = &mut self.folios[id as usize];
        (folio.previous, folio.next) = (NONE, next);
    }

    fn unlink(&mut self, id: u32) {
        let folio = self.folios[id as usize];
        if folio.is(BATCHED) {
            self.batched_pages -= folio.pages();
            return;
        }
        let list = &mut self.lists[usize::from(folio.is(ACTIVE))];
        list.pages -= folio.pages();
        match folio.previous {
            NONE => list.head = folio.next,
            previous => self.folios[previous as usize].next = folio.next,
        }
        let list = &mut self.lists[usize::from(folio.is(ACTIVE))];
        match folio.next {
            NONE => list.tail = folio.previous,
            next => self.folios[next as usize].previous = folio.previous,
        }
    }
}
