//! Somebody who was let in, and for how long.
//!
//! A request is answered at once, and who may ask is known by then. A stream of events may outlast
//! the token of whoever follows it, or their session. So it ends with them, and in its time
//! anyway: who still may comes back by themselves.

use std::future::pending;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use futures_util::StreamExt;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::sessions::Entered;
use crate::auth::caller::Caller;
use crate::http::headers::is_stream;

/// How long a stream lasts at most before whoever follows is asked again who they are.
const LONGEST_STREAM: Duration = Duration::from_secs(60 * 60);

/// Somebody who was let in.
#[derive(Debug)]
pub(super) struct Pass {
    pub(super) caller: Caller,
    /// None: nobody is asked who they are, so nothing of it can end.
    bounds: Option<Bounds>,
}

/// What a pass ends with.
#[derive(Debug)]
struct Bounds {
    /// Cancelled when other tokens hold.
    version: CancellationToken,
    /// Cancelled when the session is ended.
    session: Option<CancellationToken>,
    lasts: Duration,
}

impl Pass {
    /// For somebody who is not asked.
    pub(super) const fn free(caller: Caller) -> Self {
        Self { caller, bounds: None }
    }

    /// For whoever showed a token of this version that is good for so long, if it ends at all.
    pub(super) fn by_token(
        caller: Caller,
        version: CancellationToken,
        left: Option<Duration>,
    ) -> Self {
        let lasts = left.unwrap_or(LONGEST_STREAM).min(LONGEST_STREAM);
        Self { caller, bounds: Some(Bounds { version, session: None, lasts }) }
    }

    /// The same for as long as their session lasts.
    pub(super) fn within(mut self, Entered { over, left, .. }: Entered) -> Self {
        if let Some(bounds) = &mut self.bounds {
            bounds.session = Some(over);
            bounds.lasts = bounds.lasts.min(left);
        }
        self
    }

    /// An answer that does not outlast the pass.
    pub(super) fn bound(self, response: Response) -> Response {
        let Some(bounds) = self.bounds.filter(|_| is_stream(response.headers())) else {
            return response;
        };
        let over = Box::pin(bounds.over());
        response.map(|body| Body::from_stream(body.into_data_stream().take_until(over)))
    }
}

impl Bounds {
    async fn over(self) {
        let Self { version, session, lasts } = self;
        let session = async {
            match session {
                Some(session) => session.cancelled().await,
                None => pending().await,
            }
        };
        tokio::select! {
            () = version.cancelled() => {}
            () = session => {}
            () = sleep(lasts) => {}
        }
    }
}
