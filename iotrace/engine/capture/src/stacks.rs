//! Stacks of threads: from addresses to functions of programs and libraries.

use crate::programs::scheduler::Stack;
use crate::record::{Record, OFF_PROCESSOR, STACK_FRAME};
use object::{Object, ObjectSegment, ObjectSymbol, ReadCache, SymbolKind};
use std::collections::HashMap;
use std::fs::{self, File};
use std::ops::Range;

/// The argument of a record of a wait that is its stack.
pub const STACK_ARGUMENT: usize = 3;
/// Files that are kept open for their symbols; of others only the names are known.
const MOST_OPEN_FILES: usize = 512;
/// Names of functions are cut after this number of bytes.
const MOST_NAME_BYTES: usize = 1024;

/// Where an instruction is: a module, by its place in [`Stacks::modules`], and a place in its file.
type Frame = Option<(u32, u64)>;

/// Different stacks, and the modules that their frames are in.
#[derive(Debug, Default)]
pub struct Stacks {
    /// The numbers of stacks, by process and by the kernel's number.
    by_process: HashMap<(u32, u32), u32>,
    numbers: HashMap<Box<[Frame]>, u32>,
    /// What is mapped into processes.
    mapped: HashMap<u32, Vec<Mapped>>,
    modules: Vec<Module>,
    by_path: HashMap<String, u32>,
}

/// A part of a file that a process may run.
#[derive(Debug, PartialEq, Eq)]
struct Mapped {
    addresses: Range<u64>,
    offset: u64,
    path: String,
}

#[derive(Debug)]
struct Module {
    path: String,
    file: Option<File>,
}

impl Stacks {
    /// The number of the stack that the kernel has under a number for a process, from 1 on; 0 if it is not known.
    /// `addresses` reads it.
    pub fn number(&mut self, process: u32, stack: u32, addresses: impl FnOnce(u32) -> Option<Stack>) -> u32 {
        if let Some(&number) = self.by_process.get(&(process, stack)) {
            return number;
        }
        let Some(addresses) = addresses(stack) else { return 0 };
        let frames: Box<[Frame]> = addresses
            .iter()
            .enumerate()
            // all but the first are where calls return to, which is behind the call
            .map(|(depth, &address)| self.frame(process, address - u64::from(depth > 0 && address > 0)))
            .collect();
        let next = self.numbers.len() as u32 + 1;
        let number = if frames.is_empty() { 0 } else { *self.numbers.entry(frames).or_insert(next) };
        self.by_process.insert((process, stack), number);
        number
    }

    /// Forget what is mapped into a process, as it starts another program or ends.
    pub fn forget(&mut self, process: u32) {
        if self.mapped.remove(&process).is_some() {
            self.by_process.retain(|&(of, _), _| of != process);
        }
    }

    fn frame(&mut self, process: u32, address: u64) -> Frame {
        let mut found = find(self.mapped.get(&process), address);
        if found.is_none() {
            // what was mapped since
            let text = fs::read_to_string(format!("/proc/{process}/maps")).ok()?;
            self.mapped.insert(process, mappings(&text));
            found = find(self.mapped.get(&process), address);
        }
        let (path, offset) = found?;
        if let Some(&module) = self.by_path.get(&path) {
            return Some((module, offset));
        }
        let may_open = self.modules.len() < MOST_OPEN_FILES && path.starts_with('/');
        let file = may_open.then(|| File::open(format!("/proc/{process}/root{path}")).ok()).flatten();
        let module = self.modules.len() as u32;
        self.by_path.insert(path.clone(), module);
        self.modules.push(Module { path, file });
        Some((module, offset))
    }

    /// Call `push` with a record for each frame of each stack.
    pub fn write(&self, now_ns: u64, mut push: impl FnMut(&Record<'_>)) {
        let symbols: Vec<Symbols> = self.modules.iter().map(Symbols::of).collect();
        let mut stacks: Vec<(&Box<[Frame]>, &u32)> = self.numbers.iter().collect();
        stacks.sort_by_key(|(_, number)| **number);
        for (frames, &number) in stacks {
            for (depth, frame) in frames.iter().enumerate() {
                let (module, function, offset) = match *frame {
                    Some((module, offset)) => {
                        let function = symbols[module as usize].name(offset).map(demangled);
                        (self.modules[module as usize].path.as_str(), function.unwrap_or_default(), offset)
                    }
                    None => ("", String::new(), 0),
                };
                push(&Record {
                    number: STACK_FRAME,
                    start_ns: now_ns,
                    has_start: true,
                    arguments: [u64::from(number), depth as u64, offset, 0, 0, 0],
                    name: module.as_bytes(),
                    second_name: function.as_bytes(),
                    ..Record::default()
                });
            }
        }
    }
}

/// A record of a wait with the number of its stack instead of the kernel's.
pub fn with_stack<'b>(
    record: &Record<'b>,
    stacks: &mut Stacks,
    addresses: impl FnOnce(u32) -> Option<Stack>,
) -> Record<'b> {
    let mut record = *record;
    let stack = &mut record.arguments[STACK_ARGUMENT];
    if record.number == OFF_PROCESSOR && *stack != 0 {
        *stack = u64::from(stacks.number(record.process, *stack as u32 - 1, addresses));
    }
    record
}

fn find(mapped: Option<&Vec<Mapped>>, address: u64) -> Option<(String, u64)> {
    let mapped = mapped?;
    let after = mapped.partition_point(|part| part.addresses.end <= address);
    let part = mapped.get(after).filter(|part| part.addresses.contains(&address))?;
    Some((part.path.clone(), address - part.addresses.start + part.offset))
}

/// The executable parts of files in the text of /proc/PID/maps, by address.
fn mappings(text: &str) -> Vec<Mapped> {
    let mut found: Vec<Mapped> = text.lines().filter_map(mapping).collect();
    found.sort_by_key(|part| part.addresses.end);
    found
}

fn mapping(line: &str) -> Option<Mapped> {
    let mut words = line.splitn(6, ' ');
    let (first, end) = words.next()?.split_once('-')?;
    let is_executable = words.next()?.contains('x');
    let offset = u64::from_str_radix(words.next()?, 16).ok()?;
    let path = words.nth(2)?.trim();
    let addresses = u64::from_str_radix(first, 16).ok()?..u64::from_str_radix(end, 16).ok()?;
    (is_executable && !path.is_empty()).then(|| Mapped { addresses, offset, path: path.to_owned() })
}

/// The functions of a file.
#[derive(Debug, Default)]
struct Symbols {
    /// Parts of the file, and the addresses that they are linked for.
    segments: Vec<(Range<u64>, u64)>,
    /// First address, length and name.
    functions: Vec<(u64, u64, String)>,
}

impl Symbols {
    fn of(module: &Module) -> Symbols {
        let Some(file) = &module.file else { return Symbols::default() };
        let cache = ReadCache::new(file);
        object::File::parse(&cache).map(|file| Symbols::of_object(&file)).unwrap_or_default()
    }

    fn of_object<'data, R: object::ReadRef<'data>>(file: &object::File<'data, R>) -> Symbols {
        let segments = file.segments().map(|segment| {
            let (offset, bytes) = segment.file_range();
            (offset..offset.saturating_add(bytes), segment.address())
        });
        let mut functions: Vec<(u64, u64, String)> = file
            .symbols()
            .chain(file.dynamic_symbols())
            .filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.address() != 0)
            .filter_map(|symbol| Some((symbol.address(), symbol.size(), symbol.name().ok()?.to_owned())))
            .collect();
        functions.sort();
        functions.dedup_by_key(|(address, ..)| *address);
        Symbols { segments: segments.collect(), functions }
    }

    /// The function that has this place of the file.
    fn name(&self, offset: u64) -> Option<&str> {
        let (part, address) = self.segments.iter().find(|(part, _)| part.contains(&offset))?;
        let address = offset - part.start + address;
        let after = self.functions.partition_point(|(first, ..)| *first <= address);
        let (first, bytes, name) = self.functions.get(after.checked_sub(1)?)?;
        (*bytes == 0 || address - first < *bytes).then_some(name.as_str())
    }
}

/// The name of a function as its source has it, of the name that a compiler made of it.
fn demangled(name: &str) -> String {
    let mut name = match rustc_demangle::try_demangle(name) {
        Ok(name) => format!("{name:#}"),
        Err(_) => cpp_demangle::Symbol::new(name)
            .ok()
            .and_then(|symbol| symbol.demangle().ok())
            .unwrap_or_else(|| name.to_owned()),
    };
    let end = (0..=MOST_NAME_BYTES.min(name.len())).rev().find(|&end| name.is_char_boundary(end));
    name.truncate(end.unwrap_or(0));
    name
}
