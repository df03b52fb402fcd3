//! Descriptors that messages of sockets pass (SCM_RIGHTS): all that is kept of a message.

use crate::record::{Record, UNKNOWN_DESCRIPTOR};

/// The bytes of a control message before its data: its length with them, level and kind (`struct cmsghdr`).
const HEADER_BYTES: usize = 16;
const DESCRIPTOR_BYTES: usize = 4;

/// The record, with the descriptors that its message passes in place of the message's control part.
pub fn with_rights<'b>(record: &Record<'b>, room: &'b mut Vec<u8>) -> Record<'b> {
    let kinds = [libc::SYS_sendmsg, libc::SYS_recvmsg, libc::SYS_sendmmsg, libc::SYS_recvmmsg];
    let Some(control) = record.data.filter(|_| kinds.contains(&record.number.into())) else { return *record };
    room.clear();
    passed(control, room);
    // of several messages the first was read
    let has_others =
        [libc::SYS_sendmmsg, libc::SYS_recvmmsg].contains(&record.number.into()) && record.result > 1;
    if has_others && !room.is_empty() {
        room.extend(UNKNOWN_DESCRIPTOR.to_le_bytes());
    }
    Record { data: (!room.is_empty()).then_some(room), ..*record }
}

/// The descriptors in the control part of a message, and [`UNKNOWN_DESCRIPTOR`] for those beyond what was read.
fn passed(mut control: &[u8], out: &mut Vec<u8>) {
    while let Some((header, rest)) = control.split_at_checked(HEADER_BYTES) {
        let number = |at: usize| header[at..at + 4].try_into().map(i32::from_le_bytes).unwrap_or_default();
        let bytes = header[..8].try_into().map(u64::from_le_bytes).unwrap_or_default();
        let Some(bytes) = usize::try_from(bytes).ok().and_then(|bytes| bytes.checked_sub(HEADER_BYTES))
        else {
            return;
        };
        if (number(8), number(12)) == (libc::SOL_SOCKET, libc::SCM_RIGHTS) {
            let read = &rest[..bytes.min(rest.len())];
            out.extend_from_slice(&read[..read.len() / DESCRIPTOR_BYTES * DESCRIPTOR_BYTES]);
            if read.len() < bytes {
                out.extend(UNKNOWN_DESCRIPTOR.to_le_bytes());
            }
        }
        let padded = bytes.checked_next_multiple_of(8).unwrap_or(usize::MAX);
        control = rest.get(padded..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(level: i32, kind: i32, data: &[i32]) -> Vec<u8> {
        let length = HEADER_BYTES + 4 * data.len();
        let mut bytes = (length as u64).to_le_bytes().to_vec();
        bytes.extend(level.to_le_bytes());
        bytes.extend(kind.to_le_bytes());
        data.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        bytes
    }

    fn descriptors(call: i64, result: i64, control: &[u8]) -> Option<Vec<i32>> {
        let mut room = Vec::new();
        let record = Record { number: call as u16, result, data: Some(control), ..Record::default() };
        let found = with_rights(&record, &mut room).data?;
        Some(
            found
                .chunks_exact(4)
                .map(|bytes| i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
                .collect(),
        )
    }

    #[test]
    fn only_descriptors_are_kept() {
        let credentials = message(libc::SOL_SOCKET, libc::SCM_CREDENTIALS, &[7, 8, 9]);
        let rights = message(libc::SOL_SOCKET, libc::SCM_RIGHTS, &[3, 4, 5]);
        let other = message(libc::SOL_IP, libc::SCM_RIGHTS, &[6]);
        let all = [credentials.clone(), rights.clone(), other, rights.clone()].concat();
        assert_eq!(descriptors(libc::SYS_sendmsg, 1, &all), Some(vec![3, 4, 5, 3, 4, 5]));
        assert_eq!(descriptors(libc::SYS_recvmsg, 1, &credentials), None);
        assert_eq!(descriptors(libc::SYS_recvmsg, 1, &rights[..24]), Some(vec![3, 4, UNKNOWN_DESCRIPTOR]));
        assert_eq!(descriptors(libc::SYS_recvmmsg, 2, &rights), Some(vec![3, 4, 5, UNKNOWN_DESCRIPTOR]));
        assert_eq!(descriptors(libc::SYS_fstat, 0, &rights).map(|found| found.len()), Some(rights.len() / 4));
    }

    #[test]
    fn damaged_lengths_end_a_message() {
        for length in [0_u64, 15, u64::MAX] {
            let mut control = message(libc::SOL_SOCKET, libc::SCM_RIGHTS, &[3]);
            control[..8].copy_from_slice(&length.to_le_bytes());
            let found = descriptors(libc::SYS_sendmsg, 1, &control);
            assert!(found.is_none_or(|found| found.last() == Some(&UNKNOWN_DESCRIPTOR)));
        }
    }
}
