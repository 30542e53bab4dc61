//! Delays and jitter.

use serde::Deserialize;
use serde_json::{Map, Value};
use steadfast::decide::{Decision, Progress, SessionLimits};
use steadfast::judge::Judgement;
use steadfast::{Class, Moment, Policy};

use crate::Checked;
use crate::cases::{Case, draw, expect, expect_seconds, valid};
use crate::common::world::World;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Delays {
    policy: Map<String, Value>,
    class: Option<Class>,
    delays: Vec<(u32, f64)>,
}

/// The delay before each of these retries, before jitter.
pub(crate) fn delays(case: &Case) -> Checked {
    let Delays { policy, class, delays } = case.read()?;
    let policy = valid(&case.id, &policy)?;
    let timing = policy.timing_on(class.unwrap_or(Class::Retryable));
    assert!(!delays.is_empty(), "{} expects nothing", case.id);
    delays.into_iter().try_for_each(|(retry, seconds)| {
        expect_seconds(&format!("delay {retry}"), timing.base_delay(retry), seconds)
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Jitter {
    policy: Map<String, Value>,
    class: Option<Class>,
    draws: Vec<f64>,
    delays: Vec<f64>,
    bands: Option<Vec<(f64, f64)>>,
}

/// The delays of a session whose every attempt fails with this class.
pub(crate) fn jitter(case: &Case) -> Checked {
    let Jitter { mut policy, class, draws, delays, bands } = case.read()?;
    let class = class.unwrap_or(Class::Retryable);
    // However many attempts it has, it has enough for all of its delays.
    policy.remove("max_retries");
    policy.insert("max_attempts".to_owned(), 1000.into());
    let policy = valid(&case.id, &policy)?;

    let mut world = World::new(draws.into_iter().map(draw));
    let mut progress = Progress::default();
    let judgement = Judgement::by_code(class, None);
    for (retry, seconds) in (1..).zip(delays) {
        let now = Moment::ORIGIN;
        match progress.decide(&policy, &SessionLimits::default(), now, &judgement, &mut world) {
            Decision::Retry(delay) => expect_seconds(&format!("delay {retry}"), delay, seconds)?,
            Decision::GiveUp(reason) => return Err(format!("gave up at {retry}: {reason}")),
        }
    }
    expect("what is left of the draws", world.draws_left(), 0)?;
    bands.map_or(Ok(()), |bands| check_bands(&policy, class, &bands))
}

fn check_bands(policy: &Policy, class: Class, bands: &[(f64, f64)]) -> Checked {
    let timing = policy.timing_on(class);
    let (mut shortest, mut longest) = (0, 0);
    for (retry, (min, max)) in (1..).zip(bands) {
        let lowest = timing.delay(retry, &mut shortest, 0);
        let highest = timing.delay(retry, &mut longest, u64::MAX);
        expect_seconds(&format!("the least of delay {retry}"), lowest, *min)?;
        expect_seconds(&format!("the most of delay {retry}"), highest, *max)?;
    }
    if timing != policy.timing() {
        return Ok(());
    }
    for (planned, (min, max)) in policy.plan().skip(1).zip(bands) {
        expect_seconds(&format!("min of attempt {}", planned.attempt), planned.min, *min)?;
        expect_seconds(&format!("max of attempt {}", planned.attempt), planned.max, *max)?;
    }
    Ok(())
}
