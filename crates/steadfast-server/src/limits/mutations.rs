//! Requests that change something.
//!
//! They are done to their end, even if whoever asked has gone meanwhile: otherwise something may be
//! done and nobody has noted who did it (K3). A store that hangs must not make them pile up beyond
//! all bounds, so there may be so many at a time; who comes then is asked to come again (K4). Nobody
//! has more than a [share](crate::limits::fair_share) of them, however many they begin and however slowly they
//! send them.
//!
//! They are of callers whom the [gate](crate::auth) knows. Whoever has no token takes nobody's place:
//! to log in changes no task, and is over with the answer.
//!
//! A claim is none of them. What nobody hears of, nobody works on: whoever goes before the answer
//! leaves the tasks where they were, and the store sees to that (D4).

use std::net::IpAddr;
use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use steadfast_api::{ApiError, ErrorKind};
use steadfast_store::Actor;
use tokio::task::JoinError;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;
use tracing::{Instrument, Span};

use crate::app::App;
use crate::auth::caller::{ANONYMOUS, Caller};
use crate::http::client_network::network;
use crate::http::problem::{Problem, panicked};
use crate::http::request::RequestId;
use crate::limits::body_budget::Held;
use crate::limits::fair_share::{Refusal, Share, Shares};

/// How many there may be at a time.
const MOST: usize = 4096;
/// The route that does nothing unless somebody waits for it.
const CLAIMS: &str = "/api/v1/claims";

/// Those that are under way.
#[derive(Debug)]
pub(crate) struct Changes {
    tasks: TaskTracker,
    places: Shares<String>,
}

impl Default for Changes {
    fn default() -> Self {
        Self::up_to(MOST)
    }
}

impl Changes {
    fn up_to(most: usize) -> Self {
        Self { tasks: TaskTracker::new(), places: Shares::of(most) }
    }

    /// A place for one more of this caller, if there is any.
    fn place(&self, caller: &Caller) -> Result<Share<String>, ApiError> {
        self.places.take(who(caller)).map_err(too_many)
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
    let caller = request.extensions().get::<Caller>();
    let Some(caller) = caller.filter(|_| !request.method().is_safe() && !is_claim) else {
        return next.run(request).await;
    };
    let place = match app.changes().place(caller) {
        Ok(place) => place,
        Err(refused) => return Problem(refused).into_response(),
    };
    let held = Held::default();
    request.extensions_mut().insert(held.clone());
    let change = RequestId::kept_within(next.run(request)).instrument(Span::current());
    let change = app.changes().tasks.spawn(async move {
        let _until_the_end = (place, held);
        change.await
    });
    change.await.unwrap_or_else(cut_off)
}

/// Whose share it is of: where nobody says who they are, that of the address.
fn who(caller: &Caller) -> String {
    let Actor { actor, from } = &caller.by;
    match from.as_deref().map(str::parse::<IpAddr>) {
        Some(Ok(from)) if actor == ANONYMOUS => network(from).to_string(),
        _ => actor.clone(),
    }
}

fn too_many(refusal: Refusal) -> ApiError {
    let whose = match refusal {
        Refusal::All => "",
        Refusal::TheirShare => " of yours",
    };
    let detail = format!("too many requests{whose} that change something are under way already");
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
    use steadfast_store::{Actor, Store};
    use tower::Service;

    use super::*;
    use crate::auth::{Auth, FreshToken, Hosts, Role, TokensFile};
    use crate::router::router;

    /// K4: who has to come again is told so, and whether it is their own doing.
    #[tokio::test]
    async fn who_gets_no_place_is_asked_to_come_again() {
        let changes = Changes::up_to(4);
        let caller = |name| Caller::named(name, None, Role::Operator);
        let taken: Vec<_> = (0..3).map(|_| changes.place(&caller("ada")).unwrap()).collect();
        let hers = changes.place(&caller("ada")).unwrap_err();
        let last = changes.place(&caller("eve")).unwrap();
        let all = changes.place(&caller("joe")).unwrap_err();
        assert!(hers.detail.contains("of yours") && !all.detail.contains("of yours"));
        let answer = Problem(hers).into_response();
        assert_eq!(answer.status(), 503);
        assert!(answer.headers().contains_key("retry-after"));
        drop((taken, last));
        assert!(changes.place(&caller("ada")).is_ok());
    }

    async fn served(router: &Router, request: Request) -> Response {
        router.clone().call(request).await.unwrap()
    }

    /// A server that knows Ada and Joe, and their tokens.
    async fn server() -> (Router, [FreshToken; 2], tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokens");
        let tokens = ["ada", "joe"].map(|who| FreshToken::new(who, Role::Operator, None).unwrap());
        std::fs::write(&file, tokens[0].entry() + &tokens[1].entry()).unwrap();
        let auth = Auth::new(Some(TokensFile::read(file).unwrap()), Hosts::default(), false, true);
        let store = Store::open("sqlite::memory:").await.unwrap();
        let api = Local::new(store.clone(), Actor::new("server"));
        let app = App::new(store, api, auth, Duration::from_secs(60));
        (router(app, true), tokens, folder)
    }

    fn post(path: &str, token: Option<&FreshToken>, body: Body) -> Request {
        let mut request = Request::post(path).header("Host", "localhost");
        if let Some(token) = token {
            let bearer = format!("Bearer {}", token.secret());
            request = request.header("Authorization", bearer);
        }
        request.header("Content-Type", "application/json").body(body).unwrap()
    }

    fn endless() -> Body {
        Body::from_stream(stream::pending::<Result<Bytes, Infallible>>())
    }

    /// K4: whoever has no token takes no place of those who have one, however many they are and
    /// however slowly they log in.
    #[tokio::test]
    async fn who_has_no_token_is_in_nobodys_way() {
        let (router, [ada, _], _folder) = server().await;
        let mut strangers = Vec::new();
        for _ in 0..MOST {
            let mut login = Box::pin(served(&router, post("/login", None, endless())));
            assert!((&mut login).now_or_never().is_none(), "it is not over");
            strangers.push(login);
        }
        let pause = post("/api/v1/queues/mail/pause?new=true", Some(&ada), Body::empty());
        assert_eq!(served(&router, pause).await.status(), 204);
    }

    /// K4: whoever has a token and sends without end leaves places to others.
    #[tokio::test]
    async fn who_sends_without_end_is_in_nobodys_way() {
        let (router, [ada, joe], _folder) = server().await;
        let mut slow = Vec::new();
        for _ in 0..MOST - MOST / 4 {
            let mut submit =
                Box::pin(served(&router, post("/api/v1/tasks", Some(&ada), endless())));
            assert!((&mut submit).now_or_never().is_none(), "it is not over");
            slow.push(submit);
        }
        let pause = |who| post("/api/v1/queues/mail/pause?new=true", Some(who), Body::empty());
        assert_eq!(served(&router, pause(&ada)).await.status(), 503);
        assert_eq!(served(&router, pause(&joe)).await.status(), 204);
    }
}
