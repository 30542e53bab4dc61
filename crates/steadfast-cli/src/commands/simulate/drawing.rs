//! The picture of a simulation: what the service saw, and what the clients got.

use steadfast_draw::{Axis, Chart};
use steadfast_sim::{Outcome, Scenario};

/// Calls over time.
pub(super) fn load(scenario: &Scenario, outcomes: &[Outcome]) -> Chart {
    let mut chart = Chart::new("Calls a second")
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
    // Last, so that each policy has the same colour in both charts.
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
        over => format!("{clients} clients, {:.0} a second", f64::from(clients) / over),
    }
}

/// How many clients were done after so long.
pub(super) fn completions(outcomes: &[Outcome]) -> Chart {
    let chart = Chart::new("Clients that got what they wanted")
        .subtitle("after so long, as a share of all")
        .x(Axis::seconds("from a client's arrival").logarithmic())
        .y(Axis::count("% of clients").from_zero().max(100.0));
    let last = |outcome: &Outcome| outcome.completions.last().map_or(0.0, |(took, _)| *took);
    let end = outcomes.iter().map(last).fold(0.0, f64::max);
    outcomes.iter().fold(chart, |chart, outcome| {
        // Who is not done by the last point is not done later either.
        let rest = outcome.completions.last().map(|(_, share)| (end, *share));
        let points = outcome.completions.iter().copied().chain(rest);
        chart.step(&outcome.policy, points.map(|(took, share)| (took, share * 100.0)))
    })
}
