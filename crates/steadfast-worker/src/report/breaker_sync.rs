//! The breaker sync: reports the states of this process's breakers to the store, and applies the
//! overrides that operators have set (G1).
//!
//! A breaker is shared by everything in the process that runs under its policy's name, so an override
//! holds for tasks and sessions alike. A process without breakers does not query the store. Budgets
//! are reported in the same rounds.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use steadfast::Moment;
use steadfast::drive::{Environment, Real};
use steadfast::guard::breaker::{Breaker, BreakerState, Transition};
use steadfast::guard::{self, NamedBreaker};
use steadfast_store::{
    BreakerCommand, BreakerOverride, BreakerReport, Result, breaker_event, name,
};
use tokio::time::sleep;
use tracing::warn;

use super::{LastReports, budgets};
use crate::state::WorkerState;

/// How often breakers are synced without a notification.
const SYNC_INTERVAL: Duration = Duration::from_secs(5);
/// How often an unchanged breaker or budget is reported.
const REFRESH_INTERVAL: Duration = Duration::from_secs(30);
/// How long a command to open or close applies to breakers that read it late.
const COMMAND_MAX_AGE: SignedDuration = SignedDuration::from_secs(60);

pub(crate) async fn run(state: Arc<WorkerState>) {
    let mut sync = BreakerSync::default();
    let mut reported_budgets = LastReports::new(REFRESH_INTERVAL);
    while next_round(&state).await {
        let breakers = guard::breakers();
        sync.retain(&breakers);
        if !breakers.is_empty()
            && let Err(error) = sync.sync(&state, &breakers).await
        {
            warn!(target: "steadfast", %error, "cannot sync breakers with the store");
        }
        if state.shutdown.is_cancelled() {
            return;
        }
        budgets::send(&state, &mut reported_budgets, &guard::budgets()).await;
    }
}

/// Waits for the next round; `false` if the worker stops.
async fn next_round(state: &WorkerState) -> bool {
    tokio::select! {
        () = sleep(SYNC_INTERVAL.mul_f64(0.8 + 0.4 * fastrand::f64())) => true,
        () = state.breakers_changed.notified() => true,
        () = state.shutdown.cancelled() => false,
    }
}

struct BreakerSync {
    /// The number of the last override applied to each breaker.
    applied: HashMap<String, i64>,
    /// The last reported state and failure count of each breaker.
    reported: LastReports<(BreakerState, u64)>,
}

impl Default for BreakerSync {
    fn default() -> Self {
        Self { applied: HashMap::new(), reported: LastReports::new(REFRESH_INTERVAL) }
    }
}

impl BreakerSync {
    /// Drops the names that are gone: they may return with a new breaker.
    fn retain(&mut self, breakers: &[NamedBreaker]) {
        let exists =
            |name: &str| breakers.binary_search_by(|it| it.name.as_str().cmp(name)).is_ok();
        self.applied.retain(|name, _| exists(name));
        self.reported.retain(exists);
    }

    /// Applies overrides and reports states, unless the worker stops meanwhile.
    async fn sync(&mut self, state: &WorkerState, breakers: &[NamedBreaker]) -> Result<()> {
        let WorkerState { store, store_retry, .. } = state;
        let read = || async { Ok((store.breaker_overrides().await?, store.now().await?)) };
        let read = store_retry.call_retryable("read breaker overrides", read).await;
        let Some((overrides, now)) = read.transpose()? else {
            return Ok(());
        };
        for order in &overrides {
            self.apply(state, breakers, order, now);
        }
        let reports = self.due_reports(&state.config.name, breakers, now);
        if !reports.is_empty() {
            let report = || store.report_breakers(&reports);
            store_retry.call_retryable("report breakers", report).await.transpose()?;
        }
        Ok(())
    }

    fn apply(
        &mut self,
        state: &WorkerState,
        breakers: &[NamedBreaker],
        order: &BreakerOverride,
        now: Timestamp,
    ) {
        let Some(named) = breakers.iter().find(|breaker| breaker.name == order.policy) else {
            return;
        };
        let previous = self.applied.insert(order.policy.clone(), order.number);
        // An isolation holds until the next override, also for breakers created since.
        if previous == Some(order.number) && order.command != BreakerCommand::Isolate {
            return;
        }
        let is_fresh = now.duration_since(order.at) < COMMAND_MAX_AGE;
        for change in named.each().filter_map(|breaker| apply_to(breaker, order.command, is_fresh))
        {
            let (policy, actor) = (&order.policy, &order.actor.name);
            warn!(target: "steadfast", policy, actor, "breaker set to {} by an operator", change.to);
            let event = breaker_event(policy, change, &state.config.name, now);
            event.into_iter().for_each(|event| state.events.send(event));
        }
    }

    /// The reports of breakers that changed, or whose last report is too old.
    fn due_reports(
        &mut self,
        instance: &str,
        breakers: &[NamedBreaker],
        now: Timestamp,
    ) -> Vec<BreakerReport> {
        let nameable = breakers.iter().filter(|breaker| name("policy", &breaker.name).is_ok());
        let mut reports: Vec<_> = nameable.map(|named| report(named, instance, now)).collect();
        let reported = &mut self.reported;
        let value = |report: &BreakerReport| (report.state, report.failure_count);
        reports.retain(|report| reported.is_due(&report.policy, &value(report)));
        for report in &reports {
            reported.record(report.policy.as_str(), value(report));
        }
        reports
    }
}

fn apply_to(breaker: &Breaker, command: BreakerCommand, is_fresh: bool) -> Option<Transition> {
    let now = Real.now();
    let is_isolated = breaker.state(now) == BreakerState::Isolated;
    // Only an operator ends an isolation, so a late command ends it, too.
    let applies = is_fresh || is_isolated;
    match command {
        BreakerCommand::Isolate if is_isolated => None,
        BreakerCommand::Isolate => breaker.isolate(now),
        BreakerCommand::Open if applies => breaker.open(now),
        BreakerCommand::Close if applies => breaker.close(now),
        BreakerCommand::Open | BreakerCommand::Close => None,
    }
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

    /// K4: state of a breaker that is gone is dropped.
    #[test]
    fn synced_state_of_a_removed_breaker_is_dropped() {
        let policy = Policy::immediate().id("there").enable_circuit_breaker(true).build().unwrap();
        drop(guard::for_policy(&policy));
        let mut sync = BreakerSync::default();
        for name in ["gone", "there"] {
            sync.applied.insert(name.to_owned(), 7);
            sync.reported.record(name, (BreakerState::Closed, 0));
        }
        sync.retain(&guard::breakers());
        assert_eq!(sync.applied.keys().collect::<Vec<_>>(), ["there"]);
        assert_eq!(sync.reported.reports.keys().collect::<Vec<_>>(), ["there"]);
    }
}
