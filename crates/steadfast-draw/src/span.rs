//! The range of an axis, and positions of values on it.

use crate::{Axis, series, ticks};

/// The range of an axis. The high end is always above the low end, and both are above zero on a
/// logarithmic axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) logarithmic: bool,
}

/// The furthest position outside the axis; lines are clipped at the edge anyway.
const MAX_OFFSET: f64 = 1e4;
/// The most steps of a rounded axis.
const STEPS: f64 = 8.0;
/// The margin at both ends of a logarithmic axis, as a share of it.
const LOGARITHMIC_ROOM: f64 = 0.04;

impl Span {
    /// The exact range of the values, or that of the axis. `None` if no value can be drawn.
    pub(crate) fn tight(axis: &Axis, values: impl Iterator<Item = f64>) -> Option<Self> {
        let (low, high) = extent(axis, values)?;
        Some(bounded(axis, low, high))
    }

    /// The range of the values extended to round numbers, or that of the axis.
    pub(crate) fn rounded(axis: &Axis, values: impl Iterator<Item = f64>) -> Option<Self> {
        let (low, high) = extent(axis, values)?;
        let tight = bounded(axis, low, high);
        let round = if axis.logarithmic { tight.with_room() } else { tight.to_round_ends(axis) };
        Some(bounded(axis, round.low, round.high))
    }

    /// The position of a value: 0 at the low end, 1 at the high end, limited outside of them. `None`
    /// if a logarithmic axis cannot show it.
    pub(crate) fn position(&self, value: f64) -> Option<f64> {
        if !value.is_finite() || (self.logarithmic && value <= 0.0) {
            return None;
        }
        let [value, low, high] = [value, self.low, self.high]
            .map(|value| if self.logarithmic { value.ln() } else { value });
        Some(((value - low) / (high - low)).clamp(-MAX_OFFSET, MAX_OFFSET))
    }

    /// As [`position`](Self::position), but 0 for a value that the axis cannot show.
    pub(crate) fn position_or_low(&self, value: f64) -> Option<f64> {
        if value.is_finite() { Some(self.position(value).unwrap_or(0.0)) } else { None }
    }

    fn to_round_ends(self, axis: &Axis) -> Self {
        let step = ticks::step_of_at_least(axis.unit, (self.high - self.low) / STEPS);
        let low = (self.low / step + 1e-9).floor() * step;
        let high = (self.high / step - 1e-9).ceil() * step;
        Self { low, high, ..self }
    }

    fn with_room(self) -> Self {
        let room = ((self.high.ln() - self.low.ln()) * LOGARITHMIC_ROOM).exp();
        let low = (self.low / room).max(series::MIN_VALUE);
        let high = (self.high * room).min(series::MAX_VALUE);
        Self { low, high, ..self }
    }
}

/// The lowest and highest drawable value, and zero if it is included.
fn extent(axis: &Axis, values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (low, high) = values
        .filter(|value| value.is_finite() && (!axis.logarithmic || *value > 0.0))
        .fold(None, |extent: Option<(f64, f64)>, value| match extent {
            None => Some((value, value)),
            Some((low, high)) => Some((low.min(value), high.max(value))),
        })?;
    if axis.from_zero && !axis.logarithmic {
        return Some((low.min(0.0), high.max(0.0)));
    }
    Some((low, high))
}

/// Applies the valid ends of the axis, and ensures a width.
fn bounded(axis: &Axis, low: f64, high: f64) -> Span {
    let usable = |end: &f64| end.is_finite() && (!axis.logarithmic || *end > 0.0);
    let min = axis.min.map(series::bounded).filter(usable);
    let max = axis.max.map(series::bounded).filter(usable);
    let (low, high) = match (min, max) {
        (Some(min), Some(max)) if min < max => (min, max),
        (Some(min), None) => (min, high.max(min)),
        (None, Some(max)) => (low.min(max), max),
        _ => (low, high),
    };
    let (low, high) =
        if axis.logarithmic { widened_by_factor(low, high) } else { widened(low, high) };
    Span { low, high, logarithmic: axis.logarithmic }
}

/// The narrowest axis relative to its values; narrower ones have indistinguishable ticks.
const MIN_RELATIVE_WIDTH: f64 = 1e-9;

fn widened(low: f64, high: f64) -> (f64, f64) {
    let size = low.abs().max(high.abs());
    match () {
        () if size == 0.0 => (0.0, 1.0),
        () if high - low > size * MIN_RELATIVE_WIDTH => (low, high),
        () => (low - size / 2.0, high + size / 2.0),
    }
}

fn widened_by_factor(low: f64, high: f64) -> (f64, f64) {
    if high / low > 1.0 + MIN_RELATIVE_WIDTH { (low, high) } else { (low / 2.0, high * 2.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(axis: &Axis, values: &[f64]) -> (f64, f64) {
        let span = Span::rounded(axis, values.iter().copied()).unwrap();
        (span.low, span.high)
    }

    #[test]
    fn axis_ends_at_round_numbers() {
        assert_eq!(rounded(&Axis::new("n"), &[3.0, 97.0]), (0.0, 100.0));
        assert_eq!(rounded(&Axis::seconds("t").from_zero(), &[1.0, 128.0]), (0.0, 150.0));
        assert_eq!(rounded(&Axis::rate("r").from_zero(), &[1112.0]), (0.0, 1200.0));
        assert_eq!(rounded(&Axis::new("n"), &[-7.0, -3.0]), (-7.0, -3.0));
    }

    #[test]
    fn axis_of_equal_values_has_a_width() {
        assert_eq!(rounded(&Axis::new("n"), &[0.0, 0.0]), (0.0, 1.0));
        let (low, high) = rounded(&Axis::new("n"), &[5.0]);
        assert!(low < 5.0 && 5.0 < high);
        let (low, high) = rounded(&Axis::new("n").logarithmic(), &[5.0]);
        assert!(0.0 < low && low < 5.0 && 5.0 < high);
    }

    #[test]
    fn invalid_axis_ends_are_ignored() {
        assert_eq!(rounded(&Axis::new("n").min(2.0).max(9.5), &[3.0]), (2.0, 9.5));
        assert_eq!(rounded(&Axis::new("n").min(f64::NAN).max(4.0), &[0.0, 3.0]), (0.0, 4.0));
        assert_eq!(rounded(&Axis::new("n").min(5.0).max(1.0), &[0.0, 10.0]), (0.0, 10.0));
        let (low, _) = rounded(&Axis::new("n").logarithmic().min(-1.0), &[1.0, 10.0]);
        assert!(low > 0.0);
    }

    #[test]
    fn zero_on_a_logarithmic_axis_has_no_position() {
        let axis = Axis::new("n").logarithmic();
        let span = Span::tight(&axis, [0.0, 1e-9, 1e9].into_iter()).unwrap();
        assert_eq!(span.position(0.0), None);
        assert_eq!(span.position_or_low(0.0), Some(0.0));
        assert!((span.position(1.0).unwrap() - 0.5).abs() < 1e-9);
        assert_eq!(Span::tight(&axis, [0.0, -1.0].into_iter()), None);
    }
}
