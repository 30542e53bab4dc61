//! Ticks of an axis.
//!
//! Round numbers are 1, 2, 5 and 10, but 30 s, 10 m, 6 h, 7 d for durations. The room for labels
//! depends on the output, so candidates are offered from the densest to the sparsest, and the first
//! whose labels do not overlap is chosen.

use crate::Unit;
use crate::number_format::{DAY, HOUR, MINUTE, YEAR, format_value, format_with_precision};
use crate::span::Span;

/// A labelled position on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) label: String,
}

/// The most ticks of an axis.
const MAX_TICKS: f64 = 12.0;

/// The densest ticks with a gap between their labels, given the start and end of each label.
pub(crate) fn choose_apart(
    span: &Span,
    unit: Unit,
    gap: f64,
    label: impl Fn(&Tick) -> Option<(f64, f64)>,
) -> Vec<Tick> {
    let apart = |pair: &[(f64, f64)]| match pair {
        [a, b] => (b.0 - a.1).max(a.0 - b.1) >= gap,
        _ => true,
    };
    choose(span, unit, |ticks| {
        ticks.iter().filter_map(&label).collect::<Vec<_>>().windows(2).all(apart)
    })
}

/// The densest ticks that fit.
fn choose(span: &Span, unit: Unit, fits: impl Fn(&[Tick]) -> bool) -> Vec<Tick> {
    let candidates: Box<dyn Iterator<Item = Vec<Tick>>> = if span.logarithmic {
        Box::new(logarithmic(*span, unit))
    } else {
        Box::new(linear(*span, unit))
    };
    let mut fitting = candidates.filter(|ticks| fits(ticks));
    fitting.next().unwrap_or_default()
}

fn linear(span: Span, unit: Unit) -> impl Iterator<Item = Vec<Tick>> {
    let first = step_of_at_least(unit, (span.high - span.low) / MAX_TICKS);
    let steps = std::iter::successors(Some(first), move |step| {
        let next = step_of_at_least(unit, step * 1.01);
        (next < (span.high - span.low) * 4.0).then_some(next)
    });
    steps.map(move |step| multiples(span, unit, step))
}

fn multiples(span: Span, unit: Unit, step: f64) -> Vec<Tick> {
    let first = (span.low / step - 1e-6).ceil();
    let last = (span.high / step + 1e-6).floor();
    let count = (last - first).clamp(-1.0, MAX_TICKS * 2.0) as i32 + 1;
    let tick = |i: i32| {
        let value = (first + f64::from(i)) * step;
        Tick { value, label: format_with_precision(unit, value, step) }
    };
    (0..count).map(tick).collect()
}

/// The smallest round step that is not below `least`.
pub(crate) fn step_of_at_least(unit: Unit, least: f64) -> f64 {
    match unit {
        Unit::Count => decimal_step(least).max(1.0),
        Unit::None | Unit::Rate => decimal_step(least),
        Unit::Seconds | Unit::SecondsAgo => clock_step(least),
    }
}

/// Multiples of a unit of time.
type Clock = [(f64, &'static [f64])];

/// Round steps from a second to a year; shorter and longer ones are decimal.
const CLOCK: &Clock = &[
    (1.0, &[1.0, 2.0, 5.0, 10.0, 15.0, 30.0]),
    (MINUTE, &[1.0, 2.0, 5.0, 10.0, 15.0, 30.0]),
    (HOUR, &[1.0, 2.0, 3.0, 6.0, 12.0]),
    (DAY, &[1.0, 2.0, 7.0, 14.0, 30.0, 60.0, 90.0, 180.0]),
    (YEAR, &[1.0]),
];

fn multiples_of(clock: &'static Clock) -> impl Iterator<Item = f64> {
    clock.iter().flat_map(|(unit, counts)| counts.iter().map(move |count| count * unit))
}

fn clock_step(least: f64) -> f64 {
    if least <= 0.5 {
        return decimal_step(least);
    }
    let on_the_clock = multiples_of(CLOCK).find(|step| *step >= least * (1.0 - 1e-9));
    on_the_clock.unwrap_or_else(|| decimal_step(least / YEAR) * YEAR)
}

fn decimal_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let round = [1.0, 2.0, 5.0].into_iter().map(|digit| digit * power);
    round.into_iter().find(|step| *step >= least * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

fn logarithmic(span: Span, unit: Unit) -> impl Iterator<Item = Vec<Tick>> {
    let rungs = match unit {
        Unit::Seconds | Unit::SecondsAgo => {
            [clock_rungs(CLOCK_DENSE, &[1.0, 2.0, 5.0]), clock_rungs(CLOCK_SPARSE, &[1.0])]
        }
        _ => [decades(-300, 300, &[1.0, 2.0, 5.0]), decades(-300, 300, &[1.0])],
    };
    let [dense, sparse] = rungs.map(|rungs| on_span(span, unit, rungs));
    let thinner = (2..=sparse.len().max(2)).map({
        let sparse = sparse.clone();
        move |every| sparse.iter().step_by(every).cloned().collect()
    });
    // A narrow logarithmic axis is nearly linear.
    let narrow = if dense.len() < 2 { Some(linear(span, unit)) } else { None };
    narrow.into_iter().flatten().chain([dense, sparse]).chain(thinner)
}

fn on_span(span: Span, unit: Unit, rungs: Vec<f64>) -> Vec<Tick> {
    let slack = 1e-9;
    rungs
        .into_iter()
        .filter(|value| (span.low * (1.0 - slack)..=span.high * (1.0 + slack)).contains(value))
        .map(|value| Tick { value, label: format_value(unit, value) })
        .collect()
}

const CLOCK_DENSE: &Clock = &[
    (1.0, &[1.0, 2.0, 5.0, 10.0, 30.0]),
    (MINUTE, &[1.0, 2.0, 5.0, 10.0, 30.0]),
    (HOUR, &[1.0, 2.0, 6.0, 12.0]),
    (DAY, &[1.0, 2.0, 7.0, 30.0, 90.0]),
];
const CLOCK_SPARSE: &Clock =
    &[(1.0, &[1.0, 10.0]), (MINUTE, &[1.0, 10.0]), (HOUR, &[1.0, 6.0]), (DAY, &[1.0, 7.0, 30.0])];

fn clock_rungs(clock: &'static Clock, digits: &[f64]) -> Vec<f64> {
    let below = decades(-300, -1, digits);
    let above = decades(0, 290, digits).into_iter().map(|years| years * YEAR);
    below.into_iter().chain(multiples_of(clock)).chain(above).collect()
}

fn decades(from: i32, to: i32, digits: &[f64]) -> Vec<f64> {
    let in_decade = |power: i32| digits.iter().map(move |digit| digit * 10_f64.powi(power));
    (from..=to).flat_map(in_decade).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, unit: Unit, logarithmic: bool, most: usize) -> String {
        let span = Span { low, high, logarithmic };
        let ticks = choose(&span, unit, |ticks| ticks.len() <= most);
        ticks.into_iter().map(|tick| tick.label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_of_counts_are_multiples_of_one_two_or_five() {
        assert_eq!(labels(1.0, 8.0, Unit::Count, false, 10), "1 2 3 4 5 6 7 8");
        assert_eq!(labels(1.0, 8.0, Unit::Count, false, 5), "2 4 6 8");
        assert_eq!(labels(0.0, 20_000.0, Unit::Count, false, 6), "0 5k 10k 15k 20k");
        assert_eq!(labels(0.0, 1.0, Unit::Count, false, 9), "0 1");
    }

    #[test]
    fn ticks_of_plain_numbers_may_be_fractions() {
        assert_eq!(labels(0.0, 1.0, Unit::None, false, 6), "0 0.2 0.4 0.6 0.8 1");
        assert_eq!(labels(-10.0, 10.0, Unit::None, false, 5), "-10 -5 0 5 10");
        assert_eq!(labels(0.0, 600.0, Unit::Rate, false, 4), "0/s 200/s 400/s 600/s");
    }

    #[test]
    fn ticks_of_durations_are_clock_units() {
        assert_eq!(labels(0.0, 0.5, Unit::Seconds, false, 6), "0s 100ms 200ms 300ms 400ms 500ms");
        assert_eq!(labels(0.0, 150.0, Unit::Seconds, false, 6), "0s 30s 1m 1m30s 2m 2m30s");
        assert_eq!(labels(0.0, 3600.0, Unit::Seconds, false, 5), "0s 15m 30m 45m 1h");
        assert_eq!(labels(0.0, 14.0 * DAY, Unit::Seconds, false, 3), "0s 7d 14d");
        assert_eq!(labels(-3600.0, 0.0, Unit::SecondsAgo, false, 5), "1h 45m 30m 15m 0s");
    }

    #[test]
    fn ticks_of_a_logarithmic_axis_grow_by_factors() {
        assert_eq!(labels(1.0, 1e4, Unit::Count, true, 6), "1 10 100 1k 10k");
        assert_eq!(labels(0.1, 3600.0, Unit::Seconds, true, 6), "100ms 1s 10s 1m 10m 1h");
        assert_eq!(labels(1e-9, 1e9, Unit::None, true, 5), "1e-9 1e-5 0.1 1k 10M");
    }

    #[test]
    fn narrow_logarithmic_axis_has_ticks() {
        assert_eq!(labels(1.1, 1.5, Unit::None, true, 5), "1.1 1.2 1.3 1.4 1.5");
    }

    /// An axis without space for labels has no ticks.
    #[test]
    fn axis_without_space_has_no_ticks() {
        assert_eq!(labels(0.0, 10.0, Unit::None, false, 0), "");
    }
}
