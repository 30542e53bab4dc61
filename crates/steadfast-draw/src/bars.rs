//! Stacked bars.

use crate::series::{Series, Shape, bounded};

/// A bar: its horizontal and vertical extent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bar {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Bar {
    pub(crate) fn is_drawable(&self) -> bool {
        [self.from, self.to, self.low, self.high].iter().all(|end| end.is_finite())
    }

    pub(crate) fn value(&self) -> f64 {
        self.high - self.low
    }
}

/// Stacks bars on earlier series. Values that are not finite are not drawn.
pub(crate) fn stacked(
    bars: impl IntoIterator<Item = (f64, f64, f64)>,
    below: &[Series],
) -> Vec<Bar> {
    let bars = bars.into_iter().map(|(from, to, value)| {
        let (from, to) = (bounded(from.min(to)), bounded(from.max(to)));
        let low = height(below, from);
        Bar { from, to, low, high: bounded(low + value) }
    });
    bars.collect()
}

/// The top of the bars that start here.
fn height(below: &[Series], from: f64) -> f64 {
    let bars = below.iter().filter_map(|series| match &series.shape {
        Shape::Bars(bars) => Some(bars),
        _ => None,
    });
    let here = bars.flatten().filter(|bar| bar.from == from && bar.is_drawable());
    here.map(|bar| bar.high).fold(0.0, f64::max)
}

/// The columns of bars, from left to right, with their values.
pub(crate) fn columns(series: &[Series]) -> Vec<(Bar, Vec<(&str, f64)>)> {
    let mut columns: Vec<(Bar, Vec<(&str, f64)>)> = Vec::new();
    for series in series {
        let Shape::Bars(bars) = &series.shape else {
            continue;
        };
        for bar in bars.iter().filter(|bar| bar.is_drawable()) {
            let value = (series.name.as_str(), bar.value());
            match columns.iter_mut().find(|(column, _)| column.from == bar.from) {
                Some((_, values)) => values.push(value),
                None => columns.push((*bar, vec![value])),
            }
        }
    }
    columns.sort_by(|(a, _), (b, _)| a.from.total_cmp(&b.from));
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_with_equal_start_are_stacked() {
        let first = stacked([(0.0, 1.0, 3.0), (1.0, 2.0, 4.0)], &[]);
        let below = [Series::new("first", Shape::Bars(first), 0)];
        let second = stacked([(1.0, 2.0, 2.0), (5.0, 6.0, 1.0), (7.0, 8.0, f64::NAN)], &below);
        let ends: Vec<_> = second.iter().map(|bar| (bar.low, bar.high)).collect();
        assert_eq!(ends[..2], [(4.0, 6.0), (0.0, 1.0)]);
        assert!(!second[2].is_drawable());
    }
}
