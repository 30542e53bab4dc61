//! Charts of a policy's delays and of simulation outcomes.
//!
//! The CLI and the web UI share them.

use steadfast::Policy;
use steadfast::decide::PlannedAttempt;
use steadfast::duration;
use steadfast_draw::{Axis, Chart};

use crate::outcome::Outcome;
use crate::scenario::Scenario;

/// An empty chart of delays, to pass to [`delays`].
#[must_use]
pub fn delay_chart(title: &str, is_logarithmic: bool) -> Chart {
    let delay = Axis::seconds("delay");
    let delay = if is_logarithmic { delay.logarithmic() } else { delay.from_zero() };
    Chart::new(title).x(Axis::count("attempt")).y(delay).empty_message("No retries to plot")
}

/// Adds the delays before a policy's first `attempts`: a line, and a band if there is jitter. The
/// only policy of a chart needs no name.
#[must_use]
pub fn delays(chart: Chart, name: &str, policy: &Policy, attempts: u32) -> Chart {
    let retries = retries(policy, attempts);
    let (line, band) = match name {
        "" => ("without jitter".to_owned(), "with jitter".to_owned()),
        name => (name.to_owned(), format!("{name}, with jitter")),
    };
    let x = |retry: &PlannedAttempt| f64::from(retry.attempt);
    let chart = if retries.iter().any(|retry| retry.min != retry.max) {
        let edge = |it: &PlannedAttempt| (x(it), it.min.as_secs_f64(), it.max.as_secs_f64());
        chart.band(band, retries.iter().map(edge))
    } else {
        chart
    };
    chart.line(line, retries.iter().map(|retry| (x(retry), retry.delay.as_secs_f64())))
}

/// The planned retries among the first `attempts`.
#[must_use]
pub fn retries(policy: &Policy, attempts: u32) -> Vec<PlannedAttempt> {
    policy.plan().take(attempts as usize).skip(1).collect()
}

/// The calls per second over time.
#[must_use]
pub fn load(scenario: &Scenario, outcomes: &[Outcome]) -> Chart {
    let mut chart = Chart::new("Calls per second")
        .subtitle(subtitle(scenario))
        .x(Axis::seconds("time"))
        .y(Axis::rate("calls").from_zero());
    for outage in &scenario.outages {
        chart = chart.region("outage", outage.from.as_secs_f64(), outage.to.as_secs_f64());
    }
    for brown in &scenario.brown_outs {
        chart = chart.region("brown-out", brown.from.as_secs_f64(), brown.to.as_secs_f64());
    }
    let chart = outcomes
        .iter()
        .fold(chart, |chart, outcome| chart.step(&outcome.policy, outcome.load.iter().copied()));
    // Last, so that a policy has the same colour in both charts.
    let Some(capacity) = scenario.capacity else {
        return chart;
    };
    let end = outcomes.iter().map(|outcome| outcome.ended).fold(0.0, f64::max);
    chart.line("capacity", [(0.0, capacity), (end, capacity)])
}

fn subtitle(scenario: &Scenario) -> String {
    let clients = scenario.clients;
    match scenario.arrival.over().as_secs_f64() {
        0.0 => format!("{clients} clients at once"),
        over if f64::from(clients) / over < 1.0 => {
            let over = duration::format(scenario.arrival.over());
            format!("{clients} clients over {over}")
        }
        over => format!("{clients} clients, {:.0} per second", f64::from(clients) / over),
    }
}

/// The share of clients that completed within a time.
#[must_use]
pub fn completions(outcomes: &[Outcome]) -> Chart {
    let chart = Chart::new("Completed clients")
        .subtitle("share of all clients, by time since arrival")
        .x(Axis::seconds("time since arrival").logarithmic())
        .y(Axis::count("% of clients").from_zero().max(100.0));
    let last = |outcome: &Outcome| outcome.completions.last().map_or(0.0, |(took, _)| *took);
    let end = outcomes.iter().map(last).fold(0.0, f64::max);
    outcomes.iter().fold(chart, |chart, outcome| {
        // The share is constant after the last completion.
        let rest = outcome.completions.last().map(|(_, share)| (end, *share));
        let points = outcome.completions.iter().copied().chain(rest);
        chart.step(&outcome.policy, points.map(|(took, share)| (took, share * 100.0)))
    })
}
