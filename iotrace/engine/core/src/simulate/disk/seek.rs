//! Seek times by distance.

use serde::Deserialize;

/// The seek times in a drive's description: in milliseconds, for distances in cylinders.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeekForm {
    /// Measured points (distance, ms), ascending, with linear interpolation as in section 3.2 of the paper; beyond the
    /// last point the line through the last two continues, and below the first one its time applies.
    Table(Vec<(u32, f64)>),
    /// a + b · √d + c · d.
    SquareRoot { a: f64, b: f64, c: f64 },
    /// a + b · √d below `split` cylinders, and c + e · d from there on (Ruemmler and Wilkes 1994). The first
    /// distances may be given one by one.
    TwoPiece { split: u32, a: f64, b: f64, c: f64, e: f64, first: Vec<f64> },
}

/// Seek times for every distance of a drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeekCurve {
    time_ns: Vec<i64>,
}

impl SeekCurve {
    /// Compute the time of every distance below `cylinders`, to the nearest nanosecond.
    ///
    /// The error says what is wrong with the formula or table.
    pub fn new(form: &SeekForm, cylinders: u32) -> Result<Self, String> {
        if let SeekForm::Table(points) = form {
            check_table(points)?;
        }
        let mut time_ns = vec![0];
        for distance in 1..cylinders {
            let milliseconds = form.milliseconds(distance);
            if !(0.0..=1e6).contains(&milliseconds) {
                return Err(format!(
                    "the seek over {distance} cylinders takes {milliseconds} ms, which is not from 0 to 1,000,000"
                ));
            }
            time_ns.push((milliseconds * 1e6).round() as i64);
        }
        Ok(SeekCurve { time_ns })
    }

    /// The time in ns of a seek over `distance` cylinders, which are fewer than the drive's; 0 for distance 0.
    #[inline]
    pub fn time_ns(&self, distance: u32) -> i64 {
        self.time_ns[distance as usize]
    }

    /// The times in ns of all distances, from 0.
    pub fn times_ns(&self) -> &[i64] {
        &self.time_ns
    }
}

impl SeekForm {
    fn milliseconds(&self, distance: u32) -> f64 {
        let d = f64::from(distance);
        match self {
            SeekForm::Table(points) => interpolated(points, distance),
            SeekForm::SquareRoot { a, b, c } => a + b * d.sqrt() + c * d,
            SeekForm::TwoPiece { split, a, b, c, e, first } => match first.get(distance as usize - 1) {
                Some(&given) => given,
                None if distance < *split => a + b * d.sqrt(),
                None => c + e * d,
            },
        }
    }
}

fn interpolated(points: &[(u32, f64)], distance: u32) -> f64 {
    let after = points.partition_point(|&(d, _)| d < distance);
    if after == 0 || points.len() == 1 {
        return points[0].1;
    }
    let after = after.min(points.len() - 1);
    let ((d0, t0), (d1, t1)) = (points[after - 1], points[after]);
    t0 + (t1 - t0) * f64::from(distance - d0) / f64::from(d1 - d0)
}

fn check_table(points: &[(u32, f64)]) -> Result<(), String> {
    if points.is_empty() || points[0].0 == 0 {
        return Err("a table of seek times must have points, with distances of 1 or more".into());
    }
    match points.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
        Some(pair) => Err(format!(
            "a table of seek times must ascend by distance; {} precedes {}",
            pair[0].0, pair[1].0
        )),
        None => Ok(()),
    }
}
