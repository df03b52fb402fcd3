//! Hostile logs from a few real lines.

use iotrace_core::reconstruct::file_table::Model;

const SEEDS: &str = include_str!("seeds.strace");

/// The longest log.
pub const LONGEST: usize = 200_000;

/// A random number generator (xorshift64*), the same for the same seed on every machine.
pub struct Random(u64);

impl Random {
    /// The generator of one case.
    pub fn of_case(seed: u64, case: u64) -> Random {
        let mut random = Random((seed ^ 0x9E37_79B9_7F4A_7C15).wrapping_mul(case * 2 + 1) | 1);
        for _ in 0..4 {
            random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 33) as usize % end.max(1)
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "6",
    "7",
    "8",
    "100",
    "512",
    "1023",
    "1024",
    "4096",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "-1",
    "-5",
    "-9223372036854775808",
];

const NAMES: &[&str] = &[
    "a",
    "b",
    "c",
    "a/b",
    "a/b/c",
    "b/c",
    "../a",
    "..",
    "../..",
    ".",
    "/",
    "/a",
    "/a/b",
    "/a/b/c",
    "/a/../b",
    "//a//b",
    "a/",
    "a/.",
    "",
    "c/..",
    "/proc/self/cwd",
    "/proc/self/fd/3",
    "/dev/null",
    "/dev/fd/4",
    "/bin/a",
    "/lib/x/y",
    "\\377\\n",
    "\\303\\251",
    "l",
    "l/a",
    "a/b/../../../..",
];

/// A hostile log.
pub fn log(random: &mut Random) -> Vec<u8> {
    let seeds: Vec<&str> = SEEDS.lines().collect();
    let most_threads = if random.one_in(10) { 2000 } else { 6 };
    let threads = 1 + random.below(most_threads);
    let wildness = 1 + random.below(12);
    let most_lines = if random.one_in(20) { 2500 } else { 150 };
    let lines = 1 + random.below(most_lines);
    let mut text = Vec::new();
    for _ in 0..lines {
        let line = *random.pick(&seeds);
        let line = retell(random, line, threads, wildness);
        if random.one_in(15) {
            part(random, &mut text, &line);
        } else {
            text.extend_from_slice(line.as_bytes());
            text.push(b'\n');
        }
        if text.len() > LONGEST / 2 {
            break;
        }
    }
    if random.one_in(3) {
        damage(random, &mut text);
    }
    text.truncate(LONGEST);
    text
}

/// The line with other threads, numbers and names in it.
fn retell(random: &mut Random, line: &str, threads: usize, wildness: usize) -> String {
    let mut mutated = String::with_capacity(line.len());
    let mut rest = line;
    if line.starts_with(|first: char| first.is_ascii_digit()) {
        let end = line.find(' ').unwrap_or(line.len());
        mutated.push_str(&(1 + random.below(threads)).to_string());
        rest = &line[end..];
    }
    while let Some(first) = rest.chars().next() {
        if first == '"' {
            let end = rest[1..].find('"').map_or(rest.len(), |end| end + 2);
            if random.one_in(3) && !rest[..end].contains('\\') {
                mutated.push('"');
                mutated.push_str(name(random, wildness).as_str());
                mutated.push('"');
            } else {
                mutated.push_str(&rest[..end]);
            }
            rest = &rest[end..];
        } else if first.is_ascii_digit() {
            let end = rest.find(|next: char| !next.is_ascii_alphanumeric()).unwrap_or(rest.len());
            if !rest[..end].contains('x') && random.one_in(2 + wildness) {
                let few = if random.one_in(4) { NUMBERS.len() } else { 12 };
                mutated.push_str(NUMBERS[random.below(few)]);
            } else if random.one_in(8) {
                mutated.push_str(&(1 + random.below(threads)).to_string());
            } else {
                mutated.push_str(&rest[..end]);
            }
            rest = &rest[end..];
        } else {
            mutated.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    mutated
}

fn name(random: &mut Random, wildness: usize) -> String {
    if wildness == 12 && random.one_in(20) {
        return random.pick(NAMES).repeat(1 + random.below(3000));
    }
    if random.one_in(6) {
        return format!("{}/{}", random.pick(NAMES), random.pick(NAMES));
    }
    (*random.pick(NAMES)).to_string()
}

/// Split a call into its two halves, if its result shows where.
fn part(random: &mut Random, text: &mut Vec<u8>, line: &str) {
    let (Some(open), Some(close)) = (line.find('('), line.rfind(") = ")) else {
        return;
    };
    let (Some(space), true) = (line.find(' '), open < close) else {
        return;
    };
    let (thread, call) = (&line[..space], line[..open].rsplit(' ').next().unwrap_or_default());
    text.extend_from_slice(format!("{} <unfinished ...>\n", &line[..close]).as_bytes());
    if !random.one_in(5) {
        text.extend_from_slice(format!("{thread} <... {call} resumed>{}\n", &line[close..]).as_bytes());
    }
}

/// Overwrite, delete, duplicate and insert bytes.
pub fn damage(random: &mut Random, text: &mut Vec<u8>) {
    for _ in 0..1 + random.below(12) {
        if text.is_empty() {
            return;
        }
        let start = random.below(text.len());
        let end = (start + 1 + random.below(200)).min(text.len());
        match random.below(5) {
            0 => text[start] = *random.pick(b"\"\\<>()[]{},= \n0-9/*.%#\xff\0"),
            1 => drop(text.drain(start..end)),
            2 => {
                let piece = text[start..end].to_vec();
                let at = random.below(text.len());
                text.splice(at..at, piece);
            }
            3 => text.insert(start, b'\n'),
            _ => {
                let number = random.pick(NUMBERS).bytes();
                text.splice(start..start, number);
            }
        }
    }
}

/// A file system model.
pub fn model(random: &mut Random) -> Model {
    const SWITCHES: &[(&str, &[&str])] = &[
        ("model", &["1994", "linux"]),
        ("directory-size", &["512", "known"]),
        ("start-directory", &["in-core", "referenced"]),
        ("atime", &["strict", "every-inode-read", "relatime", "none"]),
        ("exec", &["whole", "demand"]),
        ("libraries", &["once", "none"]),
        ("mmap", &["listed", "range"]),
        ("merged-usr", &["assumed", "learnt"]),
        ("empty-requests", &["keep", "drop"]),
    ];
    let mut model = Model::LINUX;
    for (switch, values) in SWITCHES {
        if random.one_in(3) {
            // a switch with other values keeps its value
            let _ = model.set(switch, random.pick::<&str>(values));
        }
    }
    model
}
