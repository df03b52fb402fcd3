//! Large arrays in huge pages, which random access misses less often in the processor's tables of pages.

/// Arrays of fewer bytes gain nothing.
const LEAST_BYTES: usize = 4 << 20;
#[cfg(target_os = "linux")]
const HUGE_PAGE_BYTES: usize = 2 << 20;
/// How many times the length that is needed now is reserved, if it can be: memory that is not touched costs nothing.
const RESERVED_LENGTHS: [usize; 4] = [64, 8, 2, 1];
/// No more than this is reserved at more than eight times the length.
const MOST_BYTES_AHEAD: usize = 1 << 30;

/// Make room for `len` members. A large array moves to memory of huge pages, with addresses reserved for growth.
#[inline(always)]
pub fn make_room<T: Copy>(array: &mut Vec<T>, len: usize) {
    if len > array.capacity() {
        enlarge(array, len);
    }
}

#[cold]
#[inline(never)]
fn enlarge<T: Copy>(array: &mut Vec<T>, len: usize) {
    let bytes = len * size_of::<T>();
    for lengths in RESERVED_LENGTHS {
        if lengths > 8 && bytes > MOST_BYTES_AHEAD / lengths {
            continue;
        }
        let mut larger = Vec::new();
        let fits = bytes >= LEAST_BYTES
            && len.checked_mul(lengths).is_some_and(|most| larger.try_reserve_exact(most).is_ok());
        if fits {
            ask_for_huge_pages(&larger);
            larger.extend_from_slice(array);
            *array = larger;
            return;
        }
    }
    array.reserve(len - array.len());
}

/// An array of `len` equal members, in huge pages if it is large.
pub fn filled<T: Clone>(len: usize, member: T) -> Vec<T> {
    let mut array = with_room(len);
    array.resize(len, member);
    array
}

/// An empty array with room for `len` members, in huge pages if it is large.
pub fn with_room<T>(len: usize) -> Vec<T> {
    let array = Vec::with_capacity(len);
    ask_for_huge_pages(&array);
    array
}

/// Ask the system to keep a large array in huge pages, best before anything is in it. It changes nothing but speed.
pub fn ask_for_huge_pages<T>(array: &Vec<T>) {
    #[cfg(target_os = "linux")]
    {
        let start = array.as_ptr() as usize;
        let bytes = array.capacity() * size_of::<T>();
        let first = start.next_multiple_of(HUGE_PAGE_BYTES);
        let end = (start + bytes) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
        if bytes >= LEAST_BYTES && first < end {
            // SAFETY: the pages lie within the array's memory, and the advice changes neither what they hold nor
            // whether they can be reached. A refusal does no harm.
            unsafe { libc::madvise(first as *mut libc::c_void, end - first, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = array;
}

#[cfg(test)]
mod tests {
    use super::{make_room, LEAST_BYTES};

    #[test]
    fn arrays_grow_and_keep_what_they_hold() {
        let mut array: Vec<u32> = Vec::new();
        for len in [1, 1000, LEAST_BYTES / 4, LEAST_BYTES * 3] {
            make_room(&mut array, len);
            assert!(array.capacity() >= len);
            array.resize(len, len as u32);
        }
        assert_eq!(
            [0, 1, 1000, LEAST_BYTES].map(|place| array[place] as usize),
            [1, 1000, LEAST_BYTES / 4, LEAST_BYTES * 3]
        );
    }
}
