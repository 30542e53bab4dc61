//! Tracking and limits of mutating requests.
//!
//! A mutation runs to completion even if its client disconnects; otherwise it could be applied without
//! an audit entry (K3). A store that hangs must not let mutations pile up, so their number is limited and
//! further ones are rejected with 503 (K4). A [fair share](crate::limits::fair_share) per caller keeps one
//! caller from taking all of them, however many requests it starts and however slowly it sends them.
//!
//! Only authenticated requests count. A login changes no task and ends with its response.
//!
//! Claims are exempt: if the client disconnects before the response, the store keeps the tasks unclaimed
//! (D4).

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

use super::fair_share::Rejection;
use super::{BodyPermit, FairShare, SharePermit};
use crate::app::App;
use crate::auth::{ANONYMOUS, Caller};
use crate::http::{Problem, RequestId, client_network, panicked};

const MAX_CONCURRENT_MUTATIONS: usize = 4096;
/// The route that is exempt.
const CLAIMS_ROUTE: &str = "/api/v1/claims";

pub(crate) struct Mutations {
    tasks: TaskTracker,
    permits: FairShare<String>,
}

impl Default for Mutations {
    fn default() -> Self {
        Self::with_limit(MAX_CONCURRENT_MUTATIONS)
    }
}

impl Mutations {
    fn with_limit(limit: usize) -> Self {
        Self { tasks: TaskTracker::new(), permits: FairShare::new(limit) }
    }

    fn acquire(&self, caller: &Caller) -> Result<SharePermit<String>, ApiError> {
        self.permits.acquire(share_key(caller)).map_err(too_many)
    }

    /// Waits until all mutations are complete, with a timeout. Returns the number of incomplete ones.
    pub(crate) async fn wait_idle(&self, max_wait: Duration) -> usize {
        self.tasks.close();
        let _ = timeout(max_wait, self.tasks.wait()).await;
        self.tasks.len()
    }
}

pub(crate) async fn run_to_completion(
    State(app): State<App>,
    mut request: Request,
    next: Next,
) -> Response {
    let route = request.extensions().get::<MatchedPath>();
    let is_claim = route.is_some_and(|route| route.as_str() == CLAIMS_ROUTE);
    let caller = request.extensions().get::<Caller>();
    let Some(caller) = caller.filter(|_| !request.method().is_safe() && !is_claim) else {
        return next.run(request).await;
    };
    let permit = match app.mutations.acquire(caller) {
        Ok(permit) => permit,
        Err(error) => return Problem(error).into_response(),
    };
    let body_permit = BodyPermit::default();
    request.extensions_mut().insert(body_permit.clone());
    let mutation = RequestId::propagate(next.run(request)).instrument(Span::current());
    let mutation = app.mutations.tasks.spawn(async move {
        let _permits = (permit, body_permit);
        mutation.await
    });
    mutation.await.unwrap_or_else(aborted)
}

/// The unit of the fair share: the actor, or the client network of anonymous callers.
fn share_key(caller: &Caller) -> String {
    let Actor { name: actor, origin: from } = &caller.actor;
    match from.as_deref().map(str::parse::<IpAddr>) {
        Some(Ok(from)) if actor == ANONYMOUS => client_network(from).to_string(),
        _ => actor.clone(),
    }
}

fn too_many(rejection: Rejection) -> ApiError {
    let detail = match rejection {
        Rejection::LimitReached => "too many mutating requests in progress; retry later",
        Rejection::ShareReached => "too many of your mutating requests in progress; retry later",
    };
    ApiError::new(ErrorKind::Unreachable, detail).next("retry in a moment")
}

fn aborted(error: JoinError) -> Response {
    panicked(error.try_into_panic().unwrap_or_else(|_| Box::new("aborted by shutdown")))
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
    use crate::auth::{Auth, Hosts, NewToken, Role, TokensFile};
    use crate::router::router;

    /// K4: the rejection says whether the caller reached its own share, and carries `Retry-After`.
    #[tokio::test]
    async fn mutation_over_limit_is_rejected_with_retry_after() {
        let mutations = Mutations::with_limit(4);
        let caller = |name| Caller::named(name, None, Role::Operator);
        let permits: Vec<_> = (0..3).map(|_| mutations.acquire(&caller("ada")).unwrap()).collect();
        let own = mutations.acquire(&caller("ada")).unwrap_err();
        let last = mutations.acquire(&caller("eve")).unwrap();
        let all = mutations.acquire(&caller("joe")).unwrap_err();
        assert!(own.detail.contains("of your") && !all.detail.contains("of your"));
        let response = Problem(own).into_response();
        assert_eq!(response.status(), 503);
        assert!(response.headers().contains_key("retry-after"));
        drop((permits, last));
        assert!(mutations.acquire(&caller("ada")).is_ok());
    }

    async fn send(router: &Router, request: Request) -> Response {
        router.clone().call(request).await.unwrap()
    }

    /// A server with the operator tokens of Ada and Joe.
    async fn server() -> (Router, [NewToken; 2], tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokens");
        let tokens = ["ada", "joe"].map(|name| NewToken::new(name, Role::Operator, None).unwrap());
        std::fs::write(&file, tokens[0].entry() + &tokens[1].entry()).unwrap();
        let auth = Auth::new(Some(TokensFile::read(file).unwrap()), Hosts::default(), false, true);
        let store = Store::open("sqlite::memory:").await.unwrap();
        let api = Local::new(store.clone(), Actor::new("server"));
        let app = App::new(store, api, auth, Duration::from_secs(60));
        (router(app, true), tokens, folder)
    }

    fn post(path: &str, token: Option<&NewToken>, body: Body) -> Request {
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

    /// K4: slow unauthenticated logins do not block authenticated callers.
    #[tokio::test]
    async fn slow_logins_do_not_block_mutations() {
        let (router, [ada, _], _folder) = server().await;
        let mut logins = Vec::new();
        for _ in 0..MAX_CONCURRENT_MUTATIONS {
            let mut login = Box::pin(send(&router, post("/login", None, endless())));
            assert!((&mut login).now_or_never().is_none(), "the body is still being sent");
            logins.push(login);
        }
        let pause = post("/api/v1/queues/mail/pause?new=true", Some(&ada), Body::empty());
        assert_eq!(send(&router, pause).await.status(), 204);
    }

    /// K4: slow mutations of one caller leave permits to others.
    #[tokio::test]
    async fn slow_mutations_of_one_caller_do_not_block_others() {
        let (router, [ada, joe], _folder) = server().await;
        let mut slow = Vec::new();
        for _ in 0..MAX_CONCURRENT_MUTATIONS - MAX_CONCURRENT_MUTATIONS / 4 {
            let mut submit = Box::pin(send(&router, post("/api/v1/tasks", Some(&ada), endless())));
            assert!((&mut submit).now_or_never().is_none(), "the body is still being sent");
            slow.push(submit);
        }
        let pause = |token| post("/api/v1/queues/mail/pause?new=true", Some(token), Body::empty());
        assert_eq!(send(&router, pause(&ada)).await.status(), 503);
        assert_eq!(send(&router, pause(&joe)).await.status(), 204);
    }
}
