//! Axes of a chart.

use crate::text;

/// An axis: its label, unit, scale and range.
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

/// The unit of an axis, which determines ticks and number formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Unit {
    /// Plain numbers.
    #[default]
    None,
    /// Counts: `1`, `20`, `5k`, never fractions.
    Count,
    /// Seconds: `100ms`, `30s`, `10m`, `1d`.
    Seconds,
    /// Seconds before now, as negative values: `30m` for -1800.
    SecondsAgo,
    /// Rates: `200/s`.
    Rate,
}

impl Axis {
    /// An axis of plain numbers.
    pub fn new(label: impl AsRef<str>) -> Self {
        Self { label: text::clean(label.as_ref()), ..Self::default() }
    }

    /// An axis of counts.
    pub fn count(label: impl AsRef<str>) -> Self {
        Self { unit: Unit::Count, ..Self::new(label) }
    }

    /// An axis of seconds.
    pub fn seconds(label: impl AsRef<str>) -> Self {
        Self { unit: Unit::Seconds, ..Self::new(label) }
    }

    /// An axis of past times: values are negative, and are shown without their sign.
    pub fn seconds_ago(label: impl AsRef<str>) -> Self {
        Self { unit: Unit::SecondsAgo, ..Self::new(label) }
    }

    /// An axis of rates per second.
    pub fn rate(label: impl AsRef<str>) -> Self {
        Self { unit: Unit::Rate, ..Self::new(label) }
    }

    /// Makes the axis logarithmic.
    #[must_use]
    pub fn logarithmic(mut self) -> Self {
        self.logarithmic = true;
        self
    }

    /// Includes zero. No effect on a logarithmic axis.
    #[must_use]
    pub fn from_zero(mut self) -> Self {
        self.from_zero = true;
        self
    }

    /// Sets the start of the axis; default: the lowest value.
    ///
    /// Ignored if it is not finite, not below the end, or not above zero on a logarithmic axis.
    #[must_use]
    pub fn min(mut self, min: f64) -> Self {
        self.min = Some(min);
        self
    }

    /// Sets the end of the axis; default: the highest value. Invalid values are ignored, as for
    /// [`min`](Self::min).
    #[must_use]
    pub fn max(mut self, max: f64) -> Self {
        self.max = Some(max);
        self
    }
}
