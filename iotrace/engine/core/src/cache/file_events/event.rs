//! What programs do to files, once for all page caches.

/// One thing that happens. Files and open files are dense numbers from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The time, in ns.
    Time(i64),
    /// A recorder reads the statistics of memory: from now on, this many pages of the limit are not the page cache's.
    Sample {
        /// Pages of programs and of the kernel's objects.
        other_pages: u64,
    },
    /// What follows happens on this processor.
    Processor(u32),
    /// The file has this many bytes.
    Size {
        /// Which file.
        file: u32,
        /// Its length.
        bytes: u64,
    },
    /// A read of `length` bytes through the page cache, for which `requested` were asked.
    Read {
        /// Which file.
        file: u32,
        /// Through which open file.
        open: u32,
        /// Where it starts.
        offset: u64,
        /// How many bytes it got.
        length: u64,
        /// How many bytes it asked for.
        requested: u64,
        /// Whether it goes into a pipe, as of sendfile: each such read counts as one of the whole folio.
        spliced: bool,
    },
    /// A write to the page cache.
    Write {
        /// Which file.
        file: u32,
        /// Where it starts.
        offset: u64,
        /// How many bytes.
        length: u64,
        /// Whether its data are on the device when it ends.
        synchronous: bool,
    },
    /// A program touches pages of a file that it has mapped, one after the other.
    Touch {
        /// Which file.
        file: u32,
        /// Through which open file it was mapped.
        open: u32,
        /// The first page.
        page: u64,
        /// How many pages.
        pages: u64,
    },
    /// A fault of a mapped file found nothing to map at its page.
    Fault {
        /// Which file.
        file: u32,
        /// Through which open file it was mapped.
        open: u32,
        /// Which page.
        page: u64,
    },
    /// A fault of a mapped file mapped what is cached of some pages.
    Mapped {
        /// Which file.
        file: u32,
        /// Through which open file it was mapped.
        open: u32,
        /// The first page.
        page: u64,
        /// How many pages.
        pages: u64,
    },
    /// The recorded kernel evicted pages of a file that was mapped, and may have been touched until then.
    Evicted {
        /// Which file.
        file: u32,
        /// Through which open file it was mapped.
        open: u32,
        /// The first page.
        page: u64,
        /// How many pages.
        pages: u64,
    },
    /// The recorded kernel evicted pages for others, as the machine was short of memory.
    Dropped {
        /// Which file.
        file: u32,
        /// The first page.
        page: u64,
        /// How many pages.
        pages: u64,
    },
    /// The recording shows when pages of the file are written.
    WritesShown {
        /// Which file.
        file: u32,
    },
    /// The recorded kernel began to write pages of a file.
    WriteBegun {
        /// Which file.
        file: u32,
        /// The first page.
        page: u64,
        /// How many pages.
        pages: u64,
    },
    /// The recorded device has these pages.
    WriteEnded {
        /// Which file.
        file: u32,
        /// The first page.
        page: u64,
        /// How many pages.
        pages: u64,
    },
    /// A read that goes past the page cache.
    Direct {
        /// How many pages it reads from the device.
        pages: u64,
    },
    /// The file is cut: its data from this byte on are gone.
    Cut {
        /// Which file.
        file: u32,
        /// Its new length.
        bytes: u64,
    },
    /// A program is going to read some bytes of a file, which come in.
    WillNeed {
        /// Which file.
        file: u32,
        /// Through which open file.
        open: u32,
        /// The first byte.
        offset: u64,
        /// The last byte.
        last: u64,
    },
    /// A program does not need some bytes of a file any more: clean pages leave, dirty ones are written.
    DontNeed {
        /// Which file.
        file: u32,
        /// The first byte.
        offset: u64,
        /// The last byte.
        last: u64,
    },
    /// The file's dirty pages are written, or those of all files.
    Sync(Option<u32>),
    /// What a program says on how it is going to read.
    Advice {
        /// Through which open file.
        open: u32,
        /// How.
        advice: Advice,
    },
}

/// How an open file is going to be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Advice {
    /// The usual windows.
    #[default]
    Normal,
    /// Windows of twice the size.
    Sequential,
    /// No windows.
    Random,
}

impl Event {
    /// How many pages it touches, about.
    pub(crate) fn pages(&self) -> usize {
        let pages = match *self {
            Event::Read { length, .. } | Event::Write { length, .. } => length / super::PAGE_BYTES,
            Event::Touch { pages, .. } | Event::Mapped { pages, .. } => pages,
            _ => 0,
        };
        usize::try_from(pages).unwrap_or(usize::MAX)
    }
}
