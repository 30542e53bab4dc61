//! Charts that several tests draw, and how drawings are read back.

#![allow(dead_code, reason = "no test needs all of it")]

use steadfast_draw::{Axis, Chart};

/// Eight retries with a full jitter: a band and its line.
pub(crate) fn backoff() -> Chart {
    let delays: Vec<(f64, f64)> =
        (1..=8).map(|retry| (f64::from(retry), 2_f64.powi(retry - 1))).collect();
    Chart::new("Delay before each retry")
        .subtitle("exponential, full jitter")
        .x(Axis::count("retry"))
        .y(Axis::seconds("delay").from_zero())
        .band("with jitter", delays.iter().map(|(retry, delay)| (*retry, 0.0, *delay)))
        .line("without jitter", delays)
}

/// Three lines over four minutes, one of them an outage.
pub(crate) fn load() -> Chart {
    let line =
        |factor: f64| (0..=240).map(move |t| (f64::from(t), factor * (200.0 + f64::from(t % 60))));
    Chart::new("Load during an outage")
        .x(Axis::seconds("time"))
        .y(Axis::rate("requests").from_zero())
        .region("outage", 60.0, 120.0)
        .line("no backoff", line(3.0))
        .line("exponential", line(2.0))
        .step("full jitter", line(1.0))
}

/// Charts with something unusual about each.
pub(crate) fn oddities() -> Vec<(&'static str, Chart)> {
    let wide = (-9..=9).map(|power| (10_f64.powi(power), 10_f64.powi(-power)));
    let logarithmic = Axis::seconds("t").logarithmic();
    vec![
        ("empty", Chart::new("nothing")),
        ("without a finite value", Chart::new("gaps").line("gaps", [(1.0, f64::NAN)])),
        ("without a title", Chart::new("").line("", [(1.0, 1.0), (2.0, 2.0)])),
        ("a single point", Chart::new("one").line("one", [(3.0, 4.0)])),
        ("all zero", Chart::new("zero").line("zero", [(0.0, 0.0), (0.0, 0.0)])),
        ("negative", Chart::new("below").line("below", [(-5.0, -1.0), (-1.0, -9.0)])),
        ("a gap", Chart::new("gap").line("gap", [(1.0, 1.0), (2.0, f64::INFINITY), (3.0, 2.0)])),
        (
            "a wide range",
            Chart::new("wide").x(logarithmic.clone()).y(logarithmic).points("w", wide),
        ),
        (
            "the widest range",
            Chart::new("widest").line("w", [(-f64::MAX, f64::MAX), (f64::MAX, -f64::MAX)]),
        ),
        (
            "values outside of the axes",
            Chart::new("outside")
                .x(Axis::new("x").min(0.0).max(1.0))
                .y(Axis::new("y").min(0.0).max(1.0))
                .region("far", 7.0, 9.0)
                .line("in and out", [(-1e9, 5.0), (0.5, 0.5), (1e9, -1e300)]),
        ),
        ("backoff", backoff()),
        ("load", load()),
    ]
}
