//! Breakers, as everybody sees them: how those of this process stand is written down, and what
//! people want of them is done (G1).
//!
//! A breaker is shared by everything in the process that runs under its policy's name, so what is
//! done here holds for tasks and for sessions alike. A process without breakers asks for nothing.
//! Budgets are told on the same rounds.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use steadfast::Moment;
use steadfast::drive::{Environment, Real};
use steadfast::guard::breaker::{Breaker, BreakerState, Transition};
use steadfast::guard::{self, NamedBreaker};
use steadfast_store::{
    BreakerCommand, BreakerOverride, BreakerReport, StoreError, breaker_event, name,
};
use tokio::time::{Instant, sleep};
use tracing::warn;

use crate::budgets::Budgets;
use crate::shared::Shared;

/// How often is looked, should nobody say that there is something to do.
const EVERY: Duration = Duration::from_secs(5);
/// How often what has not changed is said again, so that it is believed to be there.
const SAY_AGAIN: Duration = Duration::from_secs(30);
/// How long an order to open or to close is for whoever hears of it. Later it is an old story.
const FRESH: SignedDuration = SignedDuration::from_secs(60);

pub(crate) async fn run(shared: Arc<Shared>) {
    let mut board = Switchboard { shared, memory: Memory::default() };
    let mut budgets = Budgets::default();
    while board.next_round().await {
        let breakers = guard::breakers();
        board.memory.keep_to(&breakers);
        if !breakers.is_empty() && !board.look(&breakers).await {
            return;
        }
        budgets.tell(&board.shared, &guard::budgets()).await;
    }
}

struct Switchboard {
    shared: Arc<Shared>,
    memory: Memory,
}

/// What was done to the breakers that are there, and said of them.
#[derive(Default)]
struct Memory {
    /// The last order that was obeyed, for each breaker.
    obeyed: HashMap<String, i64>,
    /// How each stood when it was last written down, and when that was.
    said: HashMap<String, ((BreakerState, u64), Instant)>,
}

impl Memory {
    /// A name that is forgotten may come back with a breaker to which nothing was done.
    fn keep_to(&mut self, breakers: &[NamedBreaker]) {
        let is_there =
            |name: &str| breakers.binary_search_by(|it| it.name.as_str().cmp(name)).is_ok();
        self.obeyed.retain(|name, _| is_there(name));
        self.said.retain(|name, _| is_there(name));
    }
}

impl Switchboard {
    /// Waits for the next time to look; `false` if there is none because the worker stops.
    async fn next_round(&self) -> bool {
        tokio::select! {
            () = sleep(EVERY.mul_f64(0.8 + 0.4 * fastrand::f64())) => true,
            () = self.shared.breakers.notified() => true,
            () = self.shared.stops.cancelled() => false,
        }
    }

    /// Does what is wanted, and says how things stand; `false` if the worker stops meanwhile.
    async fn look(&mut self, breakers: &[NamedBreaker]) -> bool {
        let shared = self.shared.clone();
        let (store, patience) = (&shared.store, &shared.patience);
        let ask = || async { Ok((store.breaker_orders().await?, store.now().await?)) };
        let (orders, now) =
            match patience.ask_while(StoreError::may_pass, "look for orders", ask).await {
                Some(Ok(answer)) => answer,
                Some(Err(error)) => return unheard(&error),
                None => return false,
            };
        for order in &orders {
            self.obey(breakers, order, now);
        }
        let reports = self.news(breakers, now);
        if reports.is_empty() {
            return true;
        }
        let report = || store.report_breakers(&reports);
        match patience.ask_while(StoreError::may_pass, "report breakers", report).await {
            Some(Ok(())) => true,
            Some(Err(error)) => unheard(&error),
            None => false,
        }
    }

    fn obey(&mut self, breakers: &[NamedBreaker], order: &BreakerOverride, now: Timestamp) {
        let Some(named) = breakers.iter().find(|breaker| breaker.name == order.policy) else {
            return;
        };
        let before = self.memory.obeyed.insert(order.policy.clone(), order.number);
        // An isolation holds until another order, also for a breaker that has come since.
        if before == Some(order.number) && order.wish != BreakerCommand::Isolate {
            return;
        }
        let is_fresh = now.duration_since(order.at) < FRESH;
        for change in named.each().filter_map(|breaker| obeyed(breaker, order.wish, is_fresh)) {
            self.tell(&order.policy, change, &order.by.actor, now);
        }
    }

    fn tell(&self, policy: &str, change: Transition, by: &str, now: Timestamp) {
        warn!(target: "steadfast", policy, by, "breaker is now {} by hand", change.to);
        let event = breaker_event(policy, change, &self.shared.settings.name, now);
        event.into_iter().for_each(|event| self.shared.reports.tell(event));
    }

    /// What changed since it was last said, or was said too long ago.
    fn news(&mut self, breakers: &[NamedBreaker], now: Timestamp) -> Vec<BreakerReport> {
        let instance = self.shared.settings.name.clone();
        let nameable = breakers.iter().filter(|breaker| name("policy", &breaker.name).is_ok());
        let mut reports: Vec<_> = nameable.map(|named| report(named, &instance, now)).collect();
        reports.retain(|report| {
            let stand = (report.state, report.failure_count);
            let said = self.memory.said.get(&report.policy);
            said.is_none_or(|(before, at)| *before != stand || at.elapsed() >= SAY_AGAIN)
        });
        for report in &reports {
            let stand = (report.state, report.failure_count);
            self.memory.said.insert(report.policy.clone(), (stand, Instant::now()));
        }
        reports
    }
}

/// Does to one breaker what is wanted of it.
fn obeyed(breaker: &Breaker, wish: BreakerCommand, is_fresh: bool) -> Option<Transition> {
    let now = Real.now();
    let is_isolated = breaker.state(now) == BreakerState::Isolated;
    // Nobody but a person ends an isolation, however late the word of it comes.
    let counts = is_fresh || is_isolated;
    match wish {
        BreakerCommand::Isolate if is_isolated => None,
        BreakerCommand::Isolate => breaker.isolate(now),
        BreakerCommand::Open if counts => breaker.open(now),
        BreakerCommand::Close if counts => breaker.close(now),
        BreakerCommand::Open | BreakerCommand::Close => None,
    }
}

/// What the store refuses now it may take in the next round.
fn unheard(error: &StoreError) -> bool {
    warn!(target: "steadfast", %error, "breakers can be neither reported nor steered");
    true
}

fn report(named: &NamedBreaker, instance: &str, now: Timestamp) -> BreakerReport {
    let moment = Real.now();
    let snapshot = named.current().snapshot(moment);
    let at = |then: Moment| now.checked_sub(moment.since(then)).unwrap_or(now);
    let later = |wait: Duration| now.checked_add(wait).unwrap_or(Timestamp::MAX);
    BreakerReport {
        policy: named.name.clone(),
        instance: instance.to_owned(),
        seen_at: None,
        state: snapshot.state,
        failure_count: snapshot.failure_count,
        threshold: snapshot.threshold,
        timeout: snapshot.timeout,
        last_failure_time: snapshot.last_failure.map(at),
        last_state_change: snapshot.last_state_change.map(at),
        next_probe_at: snapshot.retry_after.map(later),
    }
}

#[cfg(test)]
mod tests {
    use steadfast::Policy;

    use super::*;

    /// K4: names come and go, and what is remembered of them goes with them.
    #[test]
    fn only_what_is_there_is_remembered() {
        let policy = Policy::immediate().id("there").enable_circuit_breaker(true).build().unwrap();
        drop(guard::for_policy(&policy));
        let mut memory = Memory::default();
        for name in ["gone", "there"] {
            memory.obeyed.insert(name.to_owned(), 7);
            let stand = ((BreakerState::Closed, 0), Instant::now());
            memory.said.insert(name.to_owned(), stand);
        }
        memory.keep_to(&guard::breakers());
        assert_eq!(memory.obeyed.keys().collect::<Vec<_>>(), ["there"]);
        assert_eq!(memory.said.keys().collect::<Vec<_>>(), ["there"]);
    }
}
