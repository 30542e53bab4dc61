//! The claim loop: keeps the prefetch filled.
//!
//! ```text
//!        ┌──────────────── full ────────────────┐
//!        ▼                                      │
//!   room and news ──▶ claim ──▶ prefetch ───────┤
//!        ▲                                      │ short, behind: a look at the whole line is due
//!        └─── a wake-up, a timer, the poll ◀────┤
//!                                               │ short, whole: nothing there
//!                                               └─▶ wait
//! ```
//!
//! A claim that came back full is followed by another as soon as there is room, which is before
//! the prefetch is empty. One that came back short has seen everything that it asked for, so the
//! loop waits to be told of something new, or of room for a queue that it had to leave out, and
//! asks by itself every now and then should nobody tell (D11).

use std::sync::Arc;
use std::time::Duration;

use steadfast_store::{ClaimRequest, Claims};
use tokio::time::{Instant, sleep_until};

use crate::claim_cursor::{Line, Look};
use crate::clock::StoreTime;
use crate::prefetch::{PATIENCE, Room};
use crate::shared::Shared;

pub(crate) struct Claiming {
    shared: Arc<Shared>,
    line: Line,
    /// When to look again, unless told to before.
    next: Instant,
}

impl Claiming {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, line: Line::default(), next: Instant::now() }
    }

    pub(crate) async fn run(mut self) {
        let shared = self.shared.clone();
        while !shared.stops.is_cancelled() {
            let room = shared.prefetch.room();
            match room {
                Some(room) if self.next <= Instant::now() => self.claim(&room).await,
                room => self.wait(room.is_some()).await,
            }
            let late = shared.prefetch.give_up_waiting(Instant::now());
            shared.release(late).await;
        }
    }

    async fn wait(&mut self, has_room: bool) {
        let shared = &self.shared;
        let (holds, next) = (!shared.prefetch.is_empty(), self.next);
        let check = async {
            match (has_room, holds) {
                (true, true) => sleep_until(next.min(Instant::now() + PATIENCE)).await,
                (true, false) => sleep_until(next).await,
                (false, true) => sleep_until(Instant::now() + PATIENCE).await,
                (false, false) => std::future::pending().await,
            }
        };
        tokio::select! {
            () = shared.ready.notified() => self.look_soon(),
            () = shared.prefetch.hungry() => {}
            () = shared.prefetch.freed() => self.look_soon(),
            () = shared.stops.cancelled() => {}
            () = check => {}
        }
    }

    fn look_soon(&mut self) {
        let now = Instant::now();
        let soonest = match self.shared.kinds.to_ask_for() {
            Some(_) => self.line.soonest(now),
            None => now,
        };
        self.next = self.next.min(soonest);
    }

    async fn claim(&mut self, room: &Room) {
        let look = self.line.look(Instant::now());
        let request = self.request(look, room);
        let began = Instant::now();
        let store = &self.shared.store;
        let claim = || async {
            let asked = Instant::now();
            store.claim(&request).await.map(|claims| (claims, asked))
        };
        let Some((claims, asked)) = self.shared.patience.ask("claim tasks", claim).await else {
            return;
        };
        let full = is_full(&request, &claims);
        self.line.looked(look, began.elapsed(), &claims.tasks, full);
        self.next = match (full, look) {
            (true, _) => Instant::now(),
            (false, Look::Behind) => self.line.whole_due().unwrap_or_else(Instant::now),
            (false, Look::Whole) => {
                let poll = Instant::now() + self.poll();
                self.line.whole_due().map_or(poll, |due| due.max(poll))
            }
        };
        self.take_in(claims, asked).await;
    }

    fn request(&self, look: Look, room: &Room) -> ClaimRequest {
        let settings = &self.shared.settings;
        let mut request =
            ClaimRequest::new(settings.name.clone(), room.total).lease(settings.lease);
        request.lanes = self.line.lanes(look, room);
        request.categories.clone_from(&settings.categories);
        request.kinds = self.shared.kinds.to_ask_for().cloned();
        request
    }

    async fn take_in(&self, claims: Claims, asked: Instant) {
        let Some(first) = claims.tasks.first() else {
            return;
        };
        self.shared.leases.hold(first.version, claims.tasks.len(), asked);
        let time = StoreTime::told(claims.now);
        let too_late = self.shared.prefetch.add(claims.tasks, time);
        self.shared.release(too_late).await;
    }

    /// The poll's interval, uneven so that a fleet does not ask as one.
    fn poll(&self) -> Duration {
        self.shared.settings.poll.mul_f64(0.75 + 0.5 * fastrand::f64())
    }
}

/// Whether there may be more where this came from.
fn is_full(request: &ClaimRequest, claims: &Claims) -> bool {
    let got = |queue: &str| claims.tasks.iter().filter(|task| task.queue == queue).count();
    claims.tasks.len() >= request.limit as usize
        || request.lanes.iter().any(|lane| got(&lane.queue) >= lane.limit as usize)
}
