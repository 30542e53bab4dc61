//! Scenarios that cannot be played.

use steadfast_sim::{BrownOut, Contention, Errors, Latency, Outage, RateLimit, Scenario, contend};

use crate::{every_second, secs};

fn problem(scenario: Scenario) -> String {
    steadfast_sim::simulate(&scenario, "it", &every_second(1)).unwrap_err().to_string()
}

/// Each is refused with its field and what is wrong with it.
#[test]
fn what_makes_no_sense_is_refused() {
    let usual = Scenario::default;
    let cases = [
        (Scenario { clients: 0, ..usual() }, "clients: 0 is outside"),
        (Scenario { processes: 0, ..usual() }, "processes: 0 is outside"),
        (Scenario { timeout: secs(0), ..usual() }, "timeout: must be longer"),
        (Scenario { latency: Latency::Constant(secs(0)), ..usual() }, "latency: must be longer"),
        (Scenario { queue: Some(5), ..usual() }, "queue: changes nothing"),
        (Scenario { capacity: Some(0.0), ..usual() }, "capacity: 0 a second"),
        (Scenario { capacity: Some(f64::NAN), ..usual() }, "capacity: NaN a second"),
        (Scenario { until: secs(0), ..usual() }, "until: "),
        (
            Scenario { latency: Latency::Lognormal { median: secs(1), sigma: -1.0 }, ..usual() },
            "latency: sigma -1",
        ),
        (
            Scenario { outages: vec![Outage::refusing(secs(2), secs(2))], ..usual() },
            "outages: it must end after it begins",
        ),
        (
            Scenario {
                brown_outs: vec![BrownOut {
                    from: secs(0),
                    to: secs(1),
                    failing: 2.0,
                    capacity: 1.0,
                }],
                ..usual()
            },
            "brown_outs: 2 is outside 0..=1",
        ),
        (
            Scenario {
                errors: Errors { retryable: 0.6, hopeless: 0.6, ..Errors::default() },
                ..usual()
            },
            "errors: 1.2 is outside",
        ),
        (
            Scenario {
                rate_limit: Some(RateLimit { per_second: -1.0, retry_after: None }),
                ..usual()
            },
            "rate_limit: -1 a second",
        ),
    ];
    for (scenario, words) in cases {
        let problem = problem(scenario);
        assert!(problem.starts_with(words), "{problem}");
    }
}

#[test]
fn nobody_cannot_contend() {
    let nobody = Contention { clients: 0, ..Contention::default() };
    assert!(contend(&nobody, "it", &every_second(1)).is_err());
}
