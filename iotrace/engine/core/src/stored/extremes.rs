//! The least and the largest number of a column.

use arrow_array::{downcast_integer_array, Array};

/// Numbers that are compared side by side.
const LANES: usize = 8;

/// The least and the largest of an array's whole numbers; None without any, or of another type.
pub fn extremes(array: &dyn Array) -> Option<(i128, i128)> {
    downcast_integer_array!(
        array => match array.null_count() {
            0 => ends_of_all(array.values()),
            _ => ends(array.iter().flatten()),
        },
        _ => None,
    )
}

/// The ends of some numbers, in lanes that do not wait for each other.
fn ends_of_all<N: Copy + Ord + Into<i128>>(numbers: &[N]) -> Option<(i128, i128)> {
    let first = *numbers.first()?;
    let (mut least, mut largest) = ([first; LANES], [first; LANES]);
    let chunks = numbers.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for lane in 0..LANES {
            least[lane] = least[lane].min(chunk[lane]);
            largest[lane] = largest[lane].max(chunk[lane]);
        }
    }
    ends(least.into_iter().chain(largest).chain(rest.iter().copied()))
}

fn ends<N: Copy + Ord + Into<i128>>(mut numbers: impl Iterator<Item = N>) -> Option<(i128, i128)> {
    let first = numbers.next()?;
    let (least, largest) =
        numbers.fold((first, first), |(least, largest), number| (least.min(number), largest.max(number)));
    Some((least.into(), largest.into()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::extremes;
    use arrow_array::{Float64Array, Int32Array, Int64Array, StringArray, UInt64Array};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_are_those_of_the_known_numbers(numbers in prop::collection::vec(prop::option::of(any::<i64>()), 0..40)) {
            let known: Vec<i64> = numbers.iter().copied().flatten().collect();
            let ends = known.iter().min().zip(known.iter().max());
            let expected = ends.map(|(&least, &largest)| (i128::from(least), i128::from(largest)));
            prop_assert_eq!(extremes(&Int64Array::from(numbers)), expected);
            prop_assert_eq!(extremes(&Int64Array::from(known)), expected);
        }
    }

    #[test]
    fn types_other_than_64_bits_and_none() {
        assert_eq!(extremes(&Int32Array::from(vec![3, -7])), Some((-7, 3)));
        assert_eq!(extremes(&UInt64Array::from(vec![u64::MAX])), Some((u64::MAX.into(), u64::MAX.into())));
        assert_eq!(extremes(&StringArray::from(vec!["1"])), None);
        assert_eq!(extremes(&Float64Array::from(vec![1.0])), None);
    }
}
