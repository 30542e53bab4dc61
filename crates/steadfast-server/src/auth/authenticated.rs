//! An authenticated caller and the lifetime of its credentials.
//!
//! An event stream may outlast the token or session it was opened with. So it ends with them, and after
//! a maximum time in any case; a client with valid credentials reconnects by itself.

use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use futures_util::StreamExt;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::Caller;
use super::sessions::SessionLease;
use crate::http::is_event_stream;

/// The maximum duration of a stream before the client has to authenticate again.
const MAX_STREAM_DURATION: Duration = Duration::from_secs(60 * 60);

pub(super) struct Authenticated {
    pub(super) caller: Caller,
    /// `None` if authentication is off.
    expiry: Option<Expiry>,
}

/// The end of the credentials.
struct Expiry {
    /// Cancelled when the tokens are reloaded.
    tokens_version: CancellationToken,
    /// Cancelled when the session ends; never without one.
    session: CancellationToken,
    remaining: Duration,
}

impl Authenticated {
    /// A caller without credentials, where authentication is off.
    pub(super) const fn without_credentials(caller: Caller) -> Self {
        Self { caller, expiry: None }
    }

    /// The holder of a token that expires after `remaining`, if at all.
    pub(super) fn by_token(
        caller: Caller,
        tokens_version: CancellationToken,
        remaining: Option<Duration>,
    ) -> Self {
        let remaining = remaining.unwrap_or(MAX_STREAM_DURATION).min(MAX_STREAM_DURATION);
        let session = CancellationToken::new();
        Self { caller, expiry: Some(Expiry { tokens_version, session, remaining }) }
    }

    /// The same, limited to this session.
    pub(super) fn in_session(mut self, session: SessionLease) -> Self {
        if let Some(expiry) = &mut self.expiry {
            expiry.session = session.ended;
            expiry.remaining = expiry.remaining.min(session.remaining);
        }
        self
    }

    /// Ends an event stream when the credentials expire.
    pub(super) fn limit(self, response: Response) -> Response {
        let Some(expiry) = self.expiry.filter(|_| is_event_stream(response.headers())) else {
            return response;
        };
        let expired = Box::pin(expiry.expired());
        response.map(|body| Body::from_stream(body.into_data_stream().take_until(expired)))
    }
}

impl Expiry {
    async fn expired(self) {
        let Self { tokens_version, session, remaining } = self;
        tokio::select! {
            () = tokens_version.cancelled() => {}
            () = session.cancelled() => {}
            () = sleep(remaining) => {}
        }
    }
}
