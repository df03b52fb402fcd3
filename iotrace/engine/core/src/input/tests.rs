#![allow(clippy::unwrap_used)]

use super::*;
use crate::archive;
use std::io::{Cursor, Write};

fn blocks(bytes: Vec<u8>) -> Blocks {
    from_reader(Cursor::new(bytes), Path::new("test"), None).unwrap()
}

/// All text, and whether damage was reported at its end.
fn read(mut blocks: Blocks) -> (Vec<u8>, Option<InputError>) {
    let mut text = Vec::new();
    let mut damage = None;
    loop {
        match blocks.next_block() {
            Ok(Some(block)) => {
                assert!(!block.is_empty() && damage.is_none());
                text.extend_from_slice(block);
            }
            Ok(None) => {
                let left_out = blocks.delivered_bytes() - text.len() as u64;
                assert!(left_out == 0 || damage.is_some());
                assert!(damage.is_none() || text.is_empty() || text.ends_with(b"\n"));
                return (text, damage);
            }
            Err(error) => damage = Some(error),
        }
    }
}

/// Lines that do not compress well.
fn lines(count: u64) -> Vec<u8> {
    let mut text = Vec::new();
    for line in 0..count {
        writeln!(text, "{line} {:x}", line.wrapping_mul(0x9e37_79b9_7f4a_7c15)).unwrap();
    }
    text
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn compressed(text: &[u8]) -> [(Compression, Vec<u8>); 4] {
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 0);
    xz.write_all(text).unwrap();
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bzip2.write_all(text).unwrap();
    [
        (Compression::Gzip, gzip(text)),
        (Compression::Zstandard, zstd::encode_all(text, 1).unwrap()),
        (Compression::Xz, xz.finish().unwrap()),
        (Compression::Bzip2, bzip2.finish().unwrap()),
    ]
}

#[test]
fn any_compression_gives_the_text() {
    let text = lines(60_000);
    assert_eq!(read(blocks(text.clone())).0, text);
    for (compression, packed) in compressed(&text) {
        let blocks = blocks(packed.clone());
        assert_eq!(blocks.compression(), compression);
        let progress = blocks.progress().clone();
        let (found, damage) = read(blocks);
        assert!(damage.is_none() && found == text, "{compression}");
        assert_eq!(progress.read_bytes(), packed.len() as u64);
    }
}

#[test]
fn concatenated_members_are_one_text() {
    let (first, second) = (lines(1000), lines(2000));
    let text = [first.clone(), second.clone()].concat();
    for ((compression, one), (_, two)) in compressed(&first).into_iter().zip(compressed(&second)) {
        let (found, damage) = read(blocks([one, two].concat()));
        assert!(damage.is_none() && found == text, "{compression}");
    }
}

#[test]
fn zeros_after_gzip_are_padding() {
    let text = lines(1000);
    let packed = gzip(&text);
    let member = |zeros: usize| [packed.clone(), vec![0; zeros]].concat();
    for zeros in [1, 512, 200_000] {
        let (found, damage) = read(blocks(member(zeros)));
        assert!(damage.is_none() && found == text, "{zeros}");
        let (found, damage) = read(blocks([member(zeros), member(0)].concat()));
        assert!(damage.is_none() && found == text.repeat(2), "{zeros}");
        let (found, damage) = read(blocks([member(zeros), b"more".to_vec()].concat()));
        assert!(damage.is_some() && found == text, "{zeros}");
    }
}

#[test]
fn what_comes_before_a_cut_is_delivered() {
    let text = lines(60_000);
    for (compression, packed) in compressed(&text) {
        let (found, damage) = read(blocks(packed[..packed.len() / 2].to_vec()));
        assert!(text.starts_with(&found), "{compression}");
        // bzip2 works in blocks of 100 KB, the others in less.
        assert!(found.len() > text.len() / 3, "{compression}: {} of {}", found.len(), text.len());
        let message = damage.unwrap().to_string();
        assert!(message.starts_with("test: the ") && message.contains(&compression.to_string()), "{message}");
    }
}

#[test]
fn what_comes_before_damage_is_delivered() {
    let text = lines(60_000);
    for (compression, mut packed) in compressed(&text) {
        let middle = packed.len() / 2;
        packed[middle..middle + 8].fill(0xff);
        let (found, damage) = read(blocks(packed));
        assert!(damage.is_some() || found != text, "{compression}");
        let agree = text.iter().zip(&found).take_while(|(a, b)| a == b).count();
        assert!(agree > text.len() / 3, "{compression}: {agree} of {}", text.len());
    }
}

#[test]
fn garbage_after_a_member_is_damage() {
    let text = lines(10);
    let (found, damage) = read(blocks([gzip(&text), b"garbage".to_vec()].concat()));
    assert_eq!(found, text);
    assert!(damage.is_some());
}

#[test]
fn blocks_end_where_lines_end() {
    let text = lines(60_000);
    let mut blocks = blocks(text.clone());
    let mut count = 0;
    while let Some(block) = blocks.next_block().unwrap() {
        assert_eq!(block.last(), Some(&b'\n'));
        count += 1;
    }
    assert!(count > 1);
}

#[test]
fn odd_files() {
    assert_eq!(read(blocks(Vec::new())).0, b"");
    assert_eq!(read(blocks(b"x".to_vec())).0, b"x");
    assert_eq!(read(blocks(b"\n".to_vec())).0, b"\n");
    assert_eq!(read(blocks(b"a\nb".to_vec())).0, b"a\nb");
    let nul = vec![0; 3 << 20];
    assert_eq!(read(blocks(nul.clone())).0, nul);
}

#[test]
fn a_long_line_is_whole_and_an_endless_one_is_left_out() {
    let long = [vec![b'x'; 10 << 20], b"\nnext\n".to_vec()].concat();
    assert_eq!(read(blocks(long.clone())).0, long);

    let endless = std::io::repeat(b'x').take(3 * LONGEST_LINE as u64).chain(Cursor::new(b"\nnext\n"));
    let mut blocks = from_reader(endless, Path::new("test"), None).unwrap();
    assert_eq!(blocks.next_block().unwrap(), Some(LONG_LINE));
    assert_eq!(blocks.next_block().unwrap(), Some(b"next\n".as_slice()));
    assert_eq!(blocks.next_block().unwrap(), None);
    assert_eq!(blocks.long_lines(), 1);
}

#[test]
fn lines_can_be_looked_at_before_they_are_taken() {
    let text = lines(60_000);
    let mut found = Vec::new();
    let mut lines = Lines::new(blocks(text.clone()));
    while let Some(line) = lines.peek().unwrap().map(<[u8]>::to_vec) {
        assert_eq!(lines.peek().unwrap(), Some(line.as_slice()));
        found.extend(line);
        found.push(b'\n');
        lines.advance();
    }
    assert!(found == text);
}

#[test]
fn a_missing_file_and_a_directory_are_told() {
    let message = |path: &Path| open(path).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(message(Path::new("/nonexistent/x")).starts_with("/nonexistent/x: cannot be opened"));
    assert!(message(&std::env::temp_dir()).contains("cannot be opened"));
}

/// A tar header of POSIX.
fn header(name: &str, kind: u8, size: u64) -> Vec<u8> {
    let mut header = vec![0; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    header[156] = kind;
    header[257..263].copy_from_slice(b"ustar\0");
    header
}

fn padded(content: &[u8]) -> Vec<u8> {
    let mut content = content.to_vec();
    content.resize(content.len().next_multiple_of(512), 0);
    content
}

#[test]
fn sizes_of_posix_attributes_count_and_not_the_headers() {
    let attributes = b"14 path=log.7\n9 size=6\n";
    let tar = [
        header("PaxHeader", b'x', attributes.len() as u64),
        padded(attributes),
        header("x", b'0', 0),
        padded(b"hello\n"),
        header("log.8", b'0', 4),
        padded(b"end\n"),
    ]
    .concat();
    let parts = archive::unpack(Cursor::new(tar), u64::MAX).unwrap().parts;
    let sizes: Vec<_> = parts.iter().map(|part| (part.name.as_str(), part.length)).collect();
    assert_eq!(sizes, [("log.7", 6), ("log.8", 4)]);
}

#[test]
fn of_files_with_one_name_the_last_counts_and_links_are_named() {
    let file = |name: &str, text: &[u8]| [header(name, b'0', text.len() as u64), padded(text)].concat();
    let tar = [
        file("log.7", b"old\n"),
        header("log.9", b'2', 0),
        file("log.8", b"end\n"),
        header("log.10", b'1', 4),
        file("./log.7", b"newer\n"),
    ]
    .concat();
    let unpacked = archive::unpack(Cursor::new(tar), u64::MAX).unwrap();
    let sizes: Vec<_> = unpacked.parts.iter().map(|part| (part.name.as_str(), part.length)).collect();
    assert_eq!(sizes, [("log.8", 4), ("./log.7", 6)]);
    assert_eq!(unpacked.links, ["log.9", "log.10"]);
}

#[test]
fn an_archive_says_where_it_is_cut() {
    let file = |name: &str, text: &[u8]| [header(name, b'0', text.len() as u64), padded(text)].concat();
    let tar = [file("log.7", b"one\ntwo\n"), file("log.8", b"end\n")].concat();
    for end in 513..=tar.len() {
        let unpacked = archive::unpack(Cursor::new(tar[..end].to_vec()), u64::MAX).unwrap();
        let expected = match end {
            ..520 => Some("log.7"),
            1025..1536 => Some("log.7"),
            1536..1540 => Some("log.8"),
            _ => None,
        };
        assert_eq!(unpacked.cut_at.as_deref(), expected, "{end}");
    }
}

#[test]
fn a_last_line_without_a_newline_is_a_block_by_itself() {
    let mut blocks = blocks(b"one\ntwo\nthr".to_vec());
    assert_eq!(blocks.next_block().unwrap(), Some(&b"one\ntwo\n"[..]));
    assert!(!blocks.open_end());
    assert_eq!(blocks.next_block().unwrap(), Some(&b"thr"[..]));
    assert!(blocks.open_end());
    assert_eq!(blocks.next_block().unwrap(), None);
}

#[test]
fn sparse_files_and_more_than_the_limit_are_refused() {
    let refused = |tar: Vec<u8>| {
        archive::unpack(Cursor::new(tar), 1 << 20).err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert!(refused(header("log.1", b'S', 512)).contains("log.1 as a sparse file"));
    let attributes = b"22 GNU.sparse.major=1\n";
    let marked =
        [header("PaxHeader", b'x', attributes.len() as u64), padded(attributes), header("log.2", b'0', 512)];
    assert!(refused(marked.concat()).contains("log.2 as a sparse file"));
    assert!(refused(header("log.3", b'0', 1 << 30)).contains("--max-unpacked"));
}

#[test]
fn headers_and_names_of_empty_files_count_as_unpacked() {
    let unpacked = |tar: Vec<u8>| archive::unpack(Cursor::new(tar), 1 << 20);
    let empty = header("log.1", b'0', 0);
    let each =
        |count: usize| (0..count).flat_map(|n| header(&format!("log.{n}"), b'0', 0)).collect::<Vec<u8>>();
    assert_eq!(unpacked(each(2048)).unwrap().parts.len(), 2048);
    let refused = |tar: Vec<u8>| unpacked(tar).unwrap_err().to_string();
    assert!(refused(empty.repeat(2049)).contains("--max-unpacked"));
    let name = [header("././@LongLink", b'L', 1 << 19), vec![b'a'; 1 << 19], empty];
    assert!(refused(name.concat().repeat(2)).contains("--max-unpacked"));
}

#[test]
fn memory_that_xz_asks_for_is_bounded() {
    let with_sum = |bytes: &[u8]| {
        let mut sum = flate2::Crc::new();
        sum.update(bytes);
        [bytes, &sum.sum().to_le_bytes()].concat()
    };
    // the header of a block of LZMA2 with a dictionary of 1 GB
    let stream = [b"\xfd7zXZ\0".to_vec(), with_sum(&[0, 1]), with_sum(&[2, 0, 0x21, 1, 36, 0, 0, 0])];
    let (text, damage) = read(blocks(stream.concat()));
    assert_eq!(text, b"");
    assert!(damage.unwrap().to_string().contains("memory limit"));
}

#[test]
fn parts_of_a_file_are_the_whole() {
    let text = [b"\xef\xbb\xbffirst\n".as_slice(), b"\xef\xbb\xbfa mark within\n", &lines(200_000)].concat();
    let folder = std::env::temp_dir().join(format!("iotrace-parts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("text");
    std::fs::write(&path, &text).unwrap();
    let after_line = |at: usize| at + memchr::memchr(b'\n', &text[at..]).unwrap() + 1;
    let cuts = [0, after_line(0), after_line(1 << 20), text.len()];
    let mut whole = Vec::new();
    for pair in cuts.windows(2) {
        let part = open_part(&path, pair[0] as u64..pair[1] as u64).unwrap();
        assert_eq!(part.progress().total_bytes(), Some((pair[1] - pair[0]) as u64));
        let (bytes, damage) = read(part);
        assert!(damage.is_none());
        whole.extend(bytes);
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(whole == text[3..]);
}
