//! Invalid scenarios.

use steadfast_sim::{BrownOut, Contention, Errors, Latency, Outage, RateLimit, Scenario, contend};

use crate::{every_second, secs};

fn problem(scenario: Scenario) -> String {
    steadfast_sim::simulate(&scenario, "it", &every_second(1)).unwrap_err().to_string()
}

/// Each is rejected with its field and the reason.
#[test]
fn invalid_scenario_is_rejected_with_its_field() {
    let usual = Scenario::default;
    let cases = [
        (Scenario { clients: 0, ..usual() }, "clients: 0 is out of range; use 1"),
        (Scenario { processes: 0, ..usual() }, "processes: 0 is out of range; use 1"),
        (Scenario { timeout: secs(0), ..usual() }, "timeout: must be greater"),
        (Scenario { latency: Latency::Constant(secs(0)), ..usual() }, "latency: must be greater"),
        (Scenario { queue: Some(5), ..usual() }, "queue: has no effect"),
        (Scenario { capacity: Some(0.0), ..usual() }, "capacity: 0 per second"),
        (Scenario { capacity: Some(f64::NAN), ..usual() }, "capacity: NaN per second"),
        (Scenario { until: secs(0), ..usual() }, "until: "),
        (
            Scenario { latency: Latency::Lognormal { median: secs(1), sigma: -1.0 }, ..usual() },
            "latency: sigma -1",
        ),
        (
            Scenario { outages: vec![Outage::refusing(secs(2), secs(2))], ..usual() },
            "outages: the end must be after the start",
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
            "brown_outs: 2 is out of range; use 0 to 1",
        ),
        (
            Scenario {
                errors: Errors { retryable: 0.6, permanent: 0.6, ..Errors::default() },
                ..usual()
            },
            "errors: 1.2 is out of range; use 0",
        ),
        (
            Scenario {
                rate_limit: Some(RateLimit { per_second: -1.0, retry_after: None }),
                ..usual()
            },
            "rate_limit: -1 per second",
        ),
    ];
    for (scenario, message) in cases {
        let problem = problem(scenario);
        assert!(problem.starts_with(message), "{problem}");
    }
}

#[test]
fn contention_without_clients_is_rejected() {
    let empty = Contention { clients: 0, ..Contention::default() };
    assert!(contend(&empty, "it", &every_second(1)).is_err());
}
