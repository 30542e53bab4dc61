//! Breakers, as everybody sees them: how those of this process stand is written down, and what
//! people want of them is done (G1).
//!
//! A breaker is shared by everything in the process that runs under its policy's name, so what is
//! done here holds for tasks and for sessions alike. A process without breakers asks for nothing.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use steadfast::Moment;
use steadfast::drive::{Environment, Real};
use steadfast::guard;
use steadfast::guard::breaker::{Breaker, BreakerState, Transition};
use steadfast_store::{BreakerOrder, BreakerReport, BreakerWish, breaker_event};
use tokio::time::{Instant, sleep};
use tracing::warn;

use crate::shared::Shared;

/// How often is looked, should nobody say that there is something to do.
const EVERY: Duration = Duration::from_secs(5);
/// How often what has not changed is said again, so that it is believed to be there.
const SAY_AGAIN: Duration = Duration::from_secs(30);
/// How long an order to open or to close is for whoever hears of it. Later it is an old story.
const FRESH: SignedDuration = SignedDuration::from_secs(60);

type Breakers = Vec<(String, Arc<Breaker>)>;

pub(crate) async fn run(shared: Arc<Shared>) {
    let mut board = Switchboard { shared, obeyed: HashMap::new(), said: Vec::new(), at: None };
    while board.next_round().await {
        let breakers = guard::breakers();
        if !breakers.is_empty() && !board.look(&breakers).await {
            return;
        }
    }
}

struct Switchboard {
    shared: Arc<Shared>,
    /// The last order that was obeyed, for each breaker.
    obeyed: HashMap<String, i64>,
    /// How each stood when it was last written down, and when that was.
    said: Vec<(String, BreakerState, u64)>,
    at: Option<Instant>,
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
    async fn look(&mut self, breakers: &Breakers) -> bool {
        let shared = self.shared.clone();
        let (store, patience) = (&shared.store, &shared.patience);
        let Some(orders) = patience.ask("look for orders", || store.breaker_orders()).await else {
            return false;
        };
        let Some(now) = patience.ask("read the time", || store.now()).await else {
            return false;
        };
        for order in &orders {
            self.obey(breakers, order, now);
        }
        if !self.has_news(breakers) {
            return true;
        }
        let reports = self.reports(breakers, now);
        patience.ask("report breakers", || store.report_breakers(&reports)).await.is_some()
    }

    fn obey(&mut self, breakers: &Breakers, order: &BreakerOrder, now: Timestamp) {
        let Some((policy, breaker)) = breakers.iter().find(|(name, _)| *name == order.policy)
        else {
            return;
        };
        if self.obeyed.insert(policy.clone(), order.number) == Some(order.number) {
            return;
        }
        let is_fresh = now.duration_since(order.at) < FRESH;
        let change = match order.wish {
            BreakerWish::Isolate => breaker.isolate(Real.now()),
            BreakerWish::Open if is_fresh => breaker.open(Real.now()),
            BreakerWish::Close if is_fresh => breaker.close(Real.now()),
            BreakerWish::Open | BreakerWish::Close => None,
        };
        if let Some(change) = change {
            self.tell(policy, change, &order.by.actor, now);
        }
    }

    fn tell(&self, policy: &str, change: Transition, by: &str, now: Timestamp) {
        warn!(target: "steadfast", policy, by, "breaker is now {} by hand", change.to);
        let event = breaker_event(policy, change, &self.shared.settings.name, now);
        event.into_iter().for_each(|event| self.shared.reports.tell(event));
    }

    /// Whether anything changed since it was last said, or that is too long ago.
    fn has_news(&mut self, breakers: &Breakers) -> bool {
        let stand = |(policy, breaker): &(String, Arc<Breaker>)| {
            let snapshot = breaker.snapshot(Real.now());
            (policy.clone(), snapshot.state, snapshot.failure_count)
        };
        let stand: Vec<_> = breakers.iter().map(stand).collect();
        let is_old = self.at.is_none_or(|at| at.elapsed() >= SAY_AGAIN);
        if self.said == stand && !is_old {
            return false;
        }
        (self.said, self.at) = (stand, Some(Instant::now()));
        true
    }

    fn reports(&self, breakers: &Breakers, now: Timestamp) -> Vec<BreakerReport> {
        let instance = &self.shared.settings.name;
        breakers.iter().map(|(policy, breaker)| report(policy, instance, breaker, now)).collect()
    }
}

fn report(policy: &str, instance: &str, breaker: &Breaker, now: Timestamp) -> BreakerReport {
    let moment = Real.now();
    let snapshot = breaker.snapshot(moment);
    let at = |then: Moment| now.checked_sub(moment.since(then)).unwrap_or(now);
    let in_ = |wait: Duration| now.checked_add(wait).unwrap_or(Timestamp::MAX);
    BreakerReport {
        policy: policy.to_owned(),
        instance: instance.to_owned(),
        seen_at: None,
        state: snapshot.state,
        failure_count: snapshot.failure_count,
        threshold: snapshot.threshold,
        timeout: snapshot.timeout,
        last_failure_time: snapshot.last_failure.map(at),
        last_state_change: snapshot.last_state_change.map(at),
        next_probe_at: snapshot.retry_after.map(in_),
    }
}
