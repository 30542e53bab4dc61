//! Requests that change something.
//!
//! They are done to their end, even if whoever asked has gone meanwhile: otherwise something may be
//! done and nobody has noted who did it (K3). A store that hangs must not make them pile up beyond
//! all bounds, so there may be so many at a time; who comes then is asked to come again (K4).
//!
//! They are of callers whom the [gate](crate::auth) knows. Whoever has no token takes nobody's place:
//! to log in changes no task, and is over with the answer.
//!
//! A claim is none of them. What nobody hears of, nobody works on: whoever goes before the answer
//! leaves the tasks where they were, and the store sees to that (D4).

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use steadfast_api::{ApiError, ErrorKind};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinError;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;
use tracing::{Instrument, Span};

use crate::app::App;
use crate::caller::Caller;
use crate::problem::{Problem, panicked};
use crate::request::RequestId;
use crate::room::Held;

/// How many there may be at a time.
const MOST: usize = 4096;
/// The route that does nothing unless somebody waits for it.
const CLAIMS: &str = "/api/v1/claims";

/// Those that are under way.
#[derive(Debug)]
pub(crate) struct Deeds {
    tasks: TaskTracker,
    places: Arc<Semaphore>,
}

impl Default for Deeds {
    fn default() -> Self {
        Self::up_to(MOST)
    }
}

impl Deeds {
    fn up_to(most: usize) -> Self {
        Self { tasks: TaskTracker::new(), places: Arc::new(Semaphore::new(most)) }
    }

    /// A place for one more, if there is any.
    fn place(&self) -> Option<OwnedSemaphorePermit> {
        self.places.clone().try_acquire_owned().ok()
    }

    /// Waits until the last is done, but not longer than this; how many are not.
    pub(crate) async fn all_done(&self, within: Duration) -> usize {
        self.tasks.close();
        let _ = timeout(within, self.tasks.wait()).await;
        self.tasks.len()
    }
}

/// Sees to it that what a request changes is changed to the end.
pub(crate) async fn to_the_end(
    State(app): State<App>,
    mut request: Request,
    next: Next,
) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    let is_claim = route.is_some_and(|route| route.as_str() == CLAIMS);
    let is_strangers = request.extensions().get::<Caller>().is_none();
    if request.method().is_safe() || is_claim || is_strangers {
        return next.run(request).await;
    }
    let Some(place) = app.deeds().place() else {
        return Problem(too_many()).into_response();
    };
    let held = Held::default();
    request.extensions_mut().insert(held.clone());
    let deed = RequestId::kept_within(next.run(request)).instrument(Span::current());
    let deed = app.deeds().tasks.spawn(async move {
        let _until_the_end = (place, held);
        deed.await
    });
    deed.await.unwrap_or_else(cut_off)
}

fn too_many() -> ApiError {
    let detail = format!("{MOST} requests that change something are under way already");
    ApiError::new(ErrorKind::Unreachable, detail).next("ask again in a moment")
}

/// It panicked where nobody expected it, or the process is at its end.
fn cut_off(error: JoinError) -> Response {
    panicked(error.try_into_panic().unwrap_or_else(|_| Box::new("it was cut off")))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::Router;
    use axum::body::{Body, Bytes};
    use futures_util::{FutureExt, stream};
    use steadfast_api::Local;
    use steadfast_store::{By, Store};
    use tower::Service;

    use super::*;
    use crate::auth::{Auth, FreshToken, Hosts, Role, TokensFile};
    use crate::router::router;

    /// K4: who comes when all places are taken gets none, until one is free again.
    #[tokio::test]
    async fn there_are_so_many_at_a_time() {
        let deeds = Deeds::up_to(2);
        let (first, _second) = (deeds.place().unwrap(), deeds.place().unwrap());
        assert!(deeds.place().is_none());
        drop(first);
        assert!(deeds.place().is_some());
    }

    /// K4: who has to come again is told when.
    #[test]
    fn who_gets_no_place_is_asked_to_come_again() {
        let answer = Problem(too_many()).into_response();
        assert_eq!(answer.status(), 503);
        assert!(answer.headers().contains_key("retry-after"));
    }

    async fn served(router: &Router, request: Request) -> Response {
        router.clone().call(request).await.unwrap()
    }

    /// K4: whoever has no token takes no place of those who have one, however many they are and
    /// however slowly they log in.
    #[tokio::test]
    async fn who_has_no_token_is_in_nobodys_way() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokens");
        let token = FreshToken::new("ada", Role::Operator, None).unwrap();
        std::fs::write(&file, token.entry()).unwrap();
        let auth = Auth::new(Some(TokensFile::read(file).unwrap()), Hosts::default(), false, true);
        let store = Store::open("sqlite::memory:").await.unwrap();
        let api = Local::new(store.clone(), By::new("server"));
        let router = router(App::new(store, api, auth, Duration::from_secs(60)), true);

        let mut strangers = Vec::new();
        for _ in 0..MOST {
            let endless = Body::from_stream(stream::pending::<Result<Bytes, Infallible>>());
            let login = Request::post("/login").header("Host", "localhost").body(endless).unwrap();
            let mut login = Box::pin(served(&router, login));
            assert!((&mut login).now_or_never().is_none(), "it is not over");
            strangers.push(login);
        }

        let pause = Request::post("/api/v1/queues/mail/pause?new=true")
            .header("Host", "localhost")
            .header("Authorization", format!("Bearer {}", token.secret()))
            .body(Body::empty());
        assert_eq!(served(&router, pause.unwrap()).await.status(), 204);
    }
}
