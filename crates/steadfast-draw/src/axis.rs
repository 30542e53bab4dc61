//! What is measured along one side of a chart.

use crate::text;

/// One side of a chart: what it measures, in which unit, and how far.
///
/// ```
/// use steadfast_draw::Axis;
///
/// let waits = Axis::seconds("time to completion").logarithmic();
/// let share = Axis::new("share of calls").min(0.0).max(1.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    pub(crate) label: String,
    pub(crate) unit: Unit,
    pub(crate) logarithmic: bool,
    pub(crate) from_zero: bool,
    pub(crate) min: Option<f64>,
    pub(crate) max: Option<f64>,
}

/// What the numbers along an axis are. It decides where ticks are and how values are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// Numbers, with fractions where there is room for them.
    #[default]
    None,
    /// Things that are counted: `1`, `20`, `5k`, never `1.5` things.
    Count,
    /// Seconds, written for people: `100ms`, `30s`, `10m`, `1d`.
    Seconds,
    /// Things in a second: `200/s`.
    Rate,
}

impl Axis {
    /// Plain numbers.
    pub fn new(label: impl AsRef<str>) -> Self {
        Self { label: text::clean(label.as_ref()), ..Self::default() }
    }

    /// Whole things that are counted.
    pub fn count(label: impl AsRef<str>) -> Self {
        Self { unit: Unit::Count, ..Self::new(label) }
    }

    /// A time in seconds.
    pub fn seconds(label: impl AsRef<str>) -> Self {
        Self { unit: Unit::Seconds, ..Self::new(label) }
    }

    /// Things in a second.
    pub fn rate(label: impl AsRef<str>) -> Self {
        Self { unit: Unit::Rate, ..Self::new(label) }
    }

    /// Equal steps along the axis multiply.
    #[must_use]
    pub fn logarithmic(mut self) -> Self {
        self.logarithmic = true;
        self
    }

    /// Zero is shown, whatever the values are. Of no effect on a logarithmic axis, which has none.
    #[must_use]
    pub fn from_zero(mut self) -> Self {
        self.from_zero = true;
        self
    }

    /// Where the axis begins; without it, where the values do.
    ///
    /// A value that can't begin an axis is as if it were not given: one that is not finite, one
    /// that is not below the end, or one that is not above zero on a logarithmic axis.
    #[must_use]
    pub fn min(mut self, min: f64) -> Self {
        self.min = Some(min);
        self
    }

    /// Where the axis ends; without it, where the values do. What can't end an axis is as if it
    /// were not given, as for [`min`](Self::min).
    #[must_use]
    pub fn max(mut self, max: f64) -> Self {
        self.max = Some(max);
        self
    }
}
