//! A series: a name, a shape and its values.

use crate::bars::Bar;
use crate::text;

/// A named series of values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) shape: Shape,
    /// The index of the colour, from 0. A band has the colour of the line that follows it.
    pub(crate) colour: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// Straight from each value to the next.
    Line(Vec<(f64, f64)>),
    /// Each value holds until the next.
    Step(Vec<(f64, f64)>),
    /// Between a lower and an upper edge.
    Band(Vec<(f64, f64, f64)>),
    /// Unconnected points.
    Points(Vec<(f64, f64)>),
    /// Each value as a bar.
    Bars(Vec<Bar>),
}

impl Series {
    pub(crate) fn new(name: &str, shape: Shape, colour: usize) -> Self {
        Self { name: text::clean(name), shape, colour }
    }

    pub(crate) fn is_band(&self) -> bool {
        matches!(self.shape, Shape::Band(_))
    }

    /// The drawable values; of a band or bar, two corners.
    fn values(&self) -> Box<dyn Iterator<Item = (f64, f64)> + '_> {
        match &self.shape {
            Shape::Line(points) | Shape::Step(points) | Shape::Points(points) => {
                let drawable = |(x, y): &(f64, f64)| x.is_finite() && y.is_finite();
                Box::new(points.iter().copied().filter(drawable))
            }
            Shape::Band(edges) => {
                let drawable =
                    edges.iter().filter(|(x, a, b)| [x, a, b].iter().all(|it| it.is_finite()));
                Box::new(drawable.flat_map(|(x, lower, upper)| [(*x, *lower), (*x, *upper)]))
            }
            Shape::Bars(bars) => {
                let drawable = bars.iter().filter(|bar| bar.is_drawable());
                Box::new(drawable.flat_map(|bar| [(bar.from, bar.low), (bar.to, bar.high)]))
            }
        }
    }

    pub(crate) fn xs(&self) -> impl Iterator<Item = f64> {
        self.values().map(|(x, _)| x)
    }

    /// The values; of stacked bars, without the bars below.
    pub(crate) fn amounts(&self) -> Box<dyn Iterator<Item = f64> + '_> {
        match &self.shape {
            Shape::Bars(bars) => {
                Box::new(bars.iter().filter(|bar| bar.is_drawable()).map(Bar::value))
            }
            _ => Box::new(self.ys()),
        }
    }

    pub(crate) fn ys(&self) -> impl Iterator<Item = f64> {
        self.values().map(|(_, y)| y)
    }
}

/// The largest value with which the width of an axis can be computed.
pub(crate) const MAX_VALUE: f64 = 1e300;
/// The smallest value that can be a divisor.
pub(crate) const MIN_VALUE: f64 = 1e-300;

/// Clamps a value to the computable range. A value that is not finite stays a gap.
pub(crate) fn bounded(value: f64) -> f64 {
    match value {
        v if !v.is_finite() => v,
        v if v.abs() < MIN_VALUE => 0.0,
        v => v.clamp(-MAX_VALUE, MAX_VALUE),
    }
}

pub(crate) fn points(points: impl IntoIterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    points.into_iter().map(|(x, y)| (bounded(x), bounded(y))).collect()
}

/// Swaps edges in the wrong order.
pub(crate) fn edges(edges: impl IntoIterator<Item = (f64, f64, f64)>) -> Vec<(f64, f64, f64)> {
    edges
        .into_iter()
        .map(|(x, a, b)| (bounded(x), bounded(a), bounded(b)))
        .map(|(x, a, b)| if a > b { (x, b, a) } else { (x, a, b) })
        .collect()
}

/// Splits at gaps into continuous runs.
pub(crate) fn runs<T>(items: impl IntoIterator<Item = Option<T>>) -> Vec<Vec<T>> {
    let mut runs = vec![Vec::new()];
    for item in items {
        match (item, runs.last_mut()) {
            (Some(item), Some(run)) => run.push(item),
            _ => runs.push(Vec::new()),
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// The corners of a step line.
pub(crate) fn corners(run: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::with_capacity(run.len() * 2);
    for &(x, y) in run {
        if let Some(&(_, held)) = corners.last() {
            corners.push((x, held));
        }
        corners.push((x, y));
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gap_splits_runs() {
        let items = [None, Some(1), Some(2), None, None, Some(3)];
        assert_eq!(runs(items), vec![vec![1, 2], vec![3]]);
    }

    #[test]
    fn step_holds_until_the_next_value() {
        let run = [(0.0, 1.0), (2.0, 5.0)];
        assert_eq!(corners(&run), vec![(0.0, 1.0), (2.0, 1.0), (2.0, 5.0)]);
    }

    #[test]
    fn edges_in_wrong_order_are_swapped() {
        assert_eq!(edges([(1.0, 9.0, 2.0)]), vec![(1.0, 2.0, 9.0)]);
    }
}
