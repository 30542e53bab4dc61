//! Decimation of points.
//!
//! A simulation may have a million values, and a screen has a thousand columns. Of the points in a
//! column only the first, the lowest, the highest and the last are visible.

/// Removes the points, in pixels, that are not visible. A line that turns back stays unchanged,
/// because it passes a column more than once.
pub(crate) fn decimate(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let forwards = points.is_sorted_by(|a, b| a.0 <= b.0);
    if !forwards {
        return points;
    }
    let columns = points.chunk_by(|a, b| a.0.floor() == b.0.floor());
    columns.flat_map(outline).collect()
}

fn outline(column: &[(f64, f64)]) -> Vec<(f64, f64)> {
    if column.len() <= 4 {
        return column.to_vec();
    }
    let lowest = extreme(column, |a, b| a < b);
    let highest = extreme(column, |a, b| a > b);
    let mut kept = vec![0, lowest, highest, column.len() - 1];
    kept.sort_unstable();
    kept.dedup();
    kept.into_iter().filter_map(|index| column.get(index).copied()).collect()
}

fn extreme(column: &[(f64, f64)], beats: impl Fn(f64, f64) -> bool) -> usize {
    let beaten = |best: (usize, f64), (index, point): (usize, &(f64, f64))| {
        if beats(point.1, best.1) { (index, point.1) } else { best }
    };
    let first = column.first().map_or(0.0, |point| point.1);
    column.iter().enumerate().fold((0, first), beaten).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spike_is_kept() {
        let mut points: Vec<(f64, f64)> =
            (0..100_000).map(|i| (f64::from(i) / 100.0, 50.0)).collect();
        points[54_321].1 = 0.0;
        let thinned = decimate(points.clone());
        assert!(thinned.len() < 4_001);
        assert!(thinned.contains(&points[54_321]));
        assert_eq!((thinned.first(), thinned.last()), (points.first(), points.last()));
    }

    #[test]
    fn line_that_turns_back_is_unchanged() {
        let turning = vec![(0.0, 0.0), (0.1, 9.0), (0.0, 3.0), (0.2, 4.0), (0.3, 5.0), (0.4, 6.0)];
        assert_eq!(decimate(turning.clone()), turning);
    }
}
