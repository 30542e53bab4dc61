//! Playing a policy through an outage.
//!
//! Whoever moves a slider asks many times a second, and may ask for anything. So a play has few
//! clients and few attempts, only a few are played at a time, away from those who answer
//! requests, and what was played last is kept: what holds now is asked for again and again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use steadfast::Policy;
use steadfast::policy::{Draft, Setting};
use steadfast_sim::{Arrival, Outage, Outcome, Scenario, simulate, storm};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::asked::MOST_ATTEMPTS;

/// How many clients want something.
pub(super) const CLIENTS: u32 = 2_000;
/// How many are played at a time.
const AT_A_TIME: usize = 2;
/// How long somebody waits for their turn.
const PATIENCE: Duration = Duration::from_secs(2);
/// How many are kept.
const KEPT: usize = 64;

/// How long the service is away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weather {
    Seconds30,
    Minutes5,
    Hour,
    Hours6,
}

impl Weather {
    pub(super) const ALL: [Self; 4] = [Self::Seconds30, Self::Minutes5, Self::Hour, Self::Hours6];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Seconds30 => "30s",
            Self::Minutes5 => "5m",
            Self::Hour => "1h",
            Self::Hours6 => "6h",
        }
    }

    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Seconds30 => "30 seconds",
            Self::Minutes5 => "5 minutes",
            Self::Hour => "1 hour",
            Self::Hours6 => "6 hours",
        }
    }

    pub(super) const fn outage(self) -> Duration {
        Duration::from_secs(match self {
            Self::Seconds30 => 30,
            Self::Minutes5 => 300,
            Self::Hour => 3_600,
            Self::Hours6 => 21_600,
        })
    }

    /// What was asked for; if nothing was, the longest that a policy has a chance to outlast.
    pub(super) fn asked(name: &str, waits: Duration) -> Self {
        let fits = |it: &&Self| it.outage() * 2 <= waits;
        let asked = Self::ALL.into_iter().find(|it| it.name() == name);
        asked.or_else(|| Self::ALL.iter().rev().find(fits).copied()).unwrap_or(Self::Seconds30)
    }

    /// The storm of the simulator, stretched to the length of the outage. What a service can do
    /// is told for the short one alone: at the pace of hours a call in line would outlast every
    /// client's patience.
    pub(super) fn scenario(self) -> Scenario {
        let (outage, usual) = (self.outage(), storm(CLIENTS));
        if self == Self::Seconds30 {
            return usual;
        }
        Scenario {
            arrival: Arrival::Poisson(outage * 10),
            capacity: None,
            outages: vec![Outage::refusing(outage, outage * 2)],
            until: outage * 20,
            ..usual
        }
    }
}

/// A policy that does not try for longer than can be played.
pub(super) fn bounded(draft: &Draft) -> Option<Policy> {
    let policy = draft.clone().build().ok()?;
    if policy.max_attempts() <= MOST_ATTEMPTS {
        return Some(policy);
    }
    let mut draft = draft.clone();
    draft.overwrite("max_attempts", &Setting::from(MOST_ATTEMPTS)).ok()?;
    draft.build().ok()
}

/// What was played, and who may play.
#[derive(Debug)]
pub(crate) struct Simulations {
    turns: Arc<Semaphore>,
    kept: Mutex<VecDeque<(String, Arc<Outcome>)>>,
}

impl Default for Simulations {
    fn default() -> Self {
        Self { turns: Arc::new(Semaphore::new(AT_A_TIME)), kept: Mutex::default() }
    }
}

impl Simulations {
    /// What comes of a policy; nothing, if too many ask at once.
    pub(super) async fn play(&self, policy: Policy, weather: Weather) -> Option<Arc<Outcome>> {
        let key = format!("{} {}", weather.name(), serde_json::to_string(&policy).ok()?);
        if let Some(kept) = self.find(&key) {
            return Some(kept);
        }
        let turn = timeout(PATIENCE, self.turns.clone().acquire_owned()).await.ok()?.ok()?;
        // Whoever asked may leave, and it is played to its end: so the turn ends with the play.
        let played = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            simulate(&weather.scenario(), "", &policy)
        });
        let outcome = Arc::new(played.await.ok()?.ok()?);
        self.keep(key, outcome.clone());
        Some(outcome)
    }

    fn find(&self, key: &str) -> Option<Arc<Outcome>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(known, _)| known == key).map(|(_, outcome)| outcome.clone())
    }

    fn keep(&self, key: String, outcome: Arc<Outcome>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.truncate(KEPT - 1);
        kept.push_front((key, outcome));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H2: whatever is tried is played to its end, and soon.
    #[tokio::test]
    async fn the_worst_that_can_be_tried_is_played_in_time() {
        let simulations = Simulations::default();
        for weather in Weather::ALL {
            for backoff in ["immediate", "fixed"] {
                let mut draft = Draft::new();
                draft.set("backoff_type", &backoff.into()).unwrap();
                draft.set("max_attempts", &Setting::from(u32::MAX)).unwrap();
                draft.set("base_delay", &"1ns".into()).unwrap();
                let policy = bounded(&draft).unwrap();
                assert_eq!(policy.max_attempts(), MOST_ATTEMPTS);
                let outcome = simulations.play(policy, weather).await.unwrap();
                assert!(outcome.calls <= u64::from(CLIENTS * MOST_ATTEMPTS), "{weather:?}");
            }
        }
    }

    /// K4: who leaves before the end does not make room for another.
    #[tokio::test]
    async fn a_play_that_nobody_waits_for_keeps_its_turn() {
        let simulations = Simulations::default();
        let mut draft = Draft::new();
        draft.set("max_attempts", &Setting::from(u32::MAX)).unwrap();
        let policy = bounded(&draft).unwrap();
        let mut play = Box::pin(simulations.play(policy, Weather::Hours6));
        assert!(futures_util::poll!(&mut play).is_pending());
        drop(play);
        assert_eq!(simulations.turns.available_permits(), AT_A_TIME - 1);
    }

    /// H2: what was played is not played again.
    #[tokio::test]
    async fn what_was_played_is_kept() {
        let simulations = Simulations::default();
        let policy = Draft::new().build().unwrap();
        let first = simulations.play(policy.clone(), Weather::Seconds30).await.unwrap();
        let again = simulations.play(policy, Weather::Seconds30).await.unwrap();
        assert!(Arc::ptr_eq(&first, &again));
    }

    /// H2: an outage that the policy can outlast is played, unless another is asked for.
    #[test]
    fn the_outage_fits_the_policy() {
        let fit = |seconds| Weather::asked("", Duration::from_secs(seconds));
        assert_eq!([fit(3), fit(700), fit(8_000), fit(1 << 40)], Weather::ALL);
        assert_eq!(Weather::asked("6h", Duration::ZERO), Weather::Hours6);
        assert_eq!(Weather::asked("1e300", Duration::ZERO), Weather::Seconds30);
    }
}
