//! Files by path, and what descriptors refer to.

use super::totals::Totals;
use crate::record::Inode;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::{Rc, Weak};

/// What a descriptor refers to, or a path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file, a directory, a symbolic link or a disk.
    Storage,
    Terminal,
    CharacterDevice,
    Pipe,
    Socket,
    /// Event descriptors and the like.
    Anonymous,
}

impl Kind {
    /// Of the mode that stat shows, and of the path.
    pub fn of(mode: u64, path: &[u8]) -> Kind {
        match mode as u32 & libc::S_IFMT {
            libc::S_IFCHR if is_terminal(path) => Kind::Terminal,
            libc::S_IFCHR => Kind::CharacterDevice,
            libc::S_IFIFO => Kind::Pipe,
            libc::S_IFSOCK => Kind::Socket,
            0 => Kind::Anonymous,
            _ => Kind::Storage,
        }
    }
}

fn is_terminal(path: &[u8]) -> bool {
    path.starts_with(b"/dev/tty") || path.starts_with(b"/dev/pts/") || path == b"/dev/console"
}

/// A file, by the path with which programs name it.
#[derive(Debug)]
pub struct File {
    pub path: Box<[u8]>,
    /// Of the calls on storage, since the last interval.
    pub totals: RefCell<Totals>,
}

/// Files beyond these, which no descriptor refers to and no call of the interval named, are forgotten.
const MOST_FILES: usize = 1 << 16;

/// All files that are known.
#[derive(Debug, Default)]
pub struct Files {
    by_path: HashMap<Box<[u8]>, Rc<File>>,
    /// By device and inode; the last that was opened, as the numbers of deleted files are given to others.
    by_inode: HashMap<(u64, u64), Weak<File>>,
    /// Those that have totals.
    touched: Vec<Rc<File>>,
}

impl Files {
    /// The file of a path.
    pub fn named(&mut self, path: &[u8]) -> Rc<File> {
        if let Some(file) = self.by_path.get(path) {
            return Rc::clone(file);
        }
        let file = Rc::new(File { path: path.into(), totals: RefCell::default() });
        self.by_path.insert(path.into(), Rc::clone(&file));
        file
    }

    /// Note which inode a file is.
    pub fn bind(&mut self, file: &Rc<File>, inode: Inode) {
        self.by_inode.insert((inode.device, inode.inode), Rc::downgrade(file));
    }

    /// The file of an inode, if it was opened.
    pub fn of_inode(&self, device: u64, inode: u64) -> Option<Rc<File>> {
        self.by_inode.get(&(device, inode))?.upgrade()
    }

    /// Change the totals of a file.
    pub fn add(&mut self, file: &Rc<File>, change: impl FnOnce(&mut Totals)) {
        let mut totals = file.totals.borrow_mut();
        if totals.is_empty() {
            self.touched.push(Rc::clone(file));
        }
        change(&mut totals);
    }

    /// The files with totals of the interval, which begins anew.
    pub fn take(&mut self) -> Vec<(Rc<File>, Totals)> {
        let taken = std::mem::take(&mut self.touched);
        let taken = taken.into_iter().map(|file| {
            let totals = file.totals.take();
            (file, totals)
        });
        let taken = taken.collect();
        if self.by_path.len() > MOST_FILES {
            self.by_path.retain(|_, file| Rc::strong_count(file) > 1);
            self.by_inode.retain(|_, file| file.strong_count() > 0);
        }
        taken
    }
}

/// A path as a program gives it, from the folder in which it starts.
pub fn joined(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(folder.len() + name.len() + 1);
    if !name.starts_with(b"/") {
        path.extend_from_slice(folder.strip_suffix(b"/").unwrap_or(folder));
    }
    for part in name.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && *part != b".") {
        if !path.is_empty() || name.starts_with(b"/") || !folder.is_empty() {
            path.push(b'/');
        }
        path.extend_from_slice(part);
    }
    if path.is_empty() {
        path.extend_from_slice(if name.starts_with(b"/") || folder == b"/" { b"/" } else { b"." });
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_start_in_their_folder() {
        for (folder, name, path) in [
            ("/a/b", "c", "/a/b/c"),
            ("/a/b", "./c//d/.", "/a/b/c/d"),
            ("/", "c", "/c"),
            ("/a", "/x/./y", "/x/y"),
            ("/a", ".", "/a"),
            ("/a", "../c", "/a/../c"),
            ("/a", "/", "/"),
            ("/", ".", "/"),
            ("", "c/d", "c/d"),
            ("", ".", "."),
        ] {
            assert_eq!(joined(folder.as_bytes(), name.as_bytes()), path.as_bytes(), "{folder} {name}");
        }
    }

    #[test]
    fn files_that_nobody_has_are_forgotten() {
        let mut files = Files::default();
        let kept = files.named(b"/kept");
        for number in 0..=MOST_FILES {
            files.named(format!("/{number}").as_bytes());
        }
        files.take();
        assert_eq!(files.by_path.len(), 1);
        assert!(Rc::ptr_eq(&kept, &files.named(b"/kept")));
    }
}
