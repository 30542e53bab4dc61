//! Token-file authentication and role checks (K1).
//!
//! Every request passes the [`authenticate`](fn@authenticate) middleware before it reaches a handler:
//!
//! ```text
//!   request ─▶ origin check ─▶ credentials ────────────────────────────▶ caller, role ─▶ handler
//!                                ├ bearer ─▶ tokens
//!                                │             └ invalid ─▶ login_throttle ─▶ 401, 429
//!                                ├ cookie ─▶ sessions ─▶ tokens
//!                                └ none, or an expired session ─▶ 401, /login
//! ```
//!
//! Each handler declares the role it needs in its signature, with an [extractor](extract).

mod authenticate;
mod authenticated;
mod caller;
pub(crate) mod cookie;
mod extract;
pub(crate) mod login;
mod login_throttle;
mod origin;
mod role;
mod route_roles;
mod secret_hash;
mod sessions;
mod tokens;
mod tokens_file;

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use jiff::Timestamp;

pub(crate) use authenticate::authenticate;
pub(crate) use caller::{ANONYMOUS, Caller, Peer};
pub(crate) use extract::{Admin, Operator, Viewer};
pub(crate) use origin::Hosts;
pub use role::{Role, UnknownRoleError};
pub(crate) use route_roles::RouteAccess;
pub use tokens::{NewToken, NewTokenError, Token, Tokens};
pub(crate) use tokens_file::TokensFile;

use authenticated::Authenticated;
use login_throttle::LoginThrottle;
use secret_hash::SecretHash;
use sessions::Sessions;

#[derive(Default)]
pub(crate) struct Auth {
    /// `None`: authentication is off, and only loopback clients are served.
    tokens: Option<TokensFile>,
    hosts: Hosts,
    /// Whether the server terminates TLS.
    pub(crate) over_tls: bool,
    has_web_ui: bool,
    sessions: Sessions,
    throttle: LoginThrottle,
}

impl Auth {
    pub(crate) fn new(
        tokens: Option<TokensFile>,
        hosts: Hosts,
        over_tls: bool,
        has_web_ui: bool,
    ) -> Self {
        Self { tokens, hosts, over_tls, has_web_ui, ..Self::default() }
    }

    pub(crate) const fn tokens(&self) -> Option<&TokensFile> {
        self.tokens.as_ref()
    }

    fn by_token(file: &TokensFile, token: &str, peer: Option<Peer>) -> Option<Authenticated> {
        holder(file, peer, |tokens, now| tokens.find(token, now))
    }

    /// The owner of this session, if its token is still valid.
    fn by_session(&self, file: &TokensFile, id: &str, peer: Option<Peer>) -> Option<Authenticated> {
        let session = self.sessions.touch(id)?;
        let owner = holder(file, peer, |tokens, now| tokens.find_hash(&session.token, now))?;
        Some(owner.in_session(session))
    }

    fn start_session(&self, token: &str) -> Result<String, getrandom::Error> {
        self.sessions.start(SecretHash::of(token))
    }

    /// Records a failed authentication. After too many, returns how long to wait.
    fn record_failure(&self, peer: Option<Peer>) -> Result<(), Duration> {
        let unknown = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        self.throttle.record_failure(peer.map_or(unknown, Peer::ip))
    }
}

/// The holder of the token that is found in this file.
fn holder(
    file: &TokensFile,
    peer: Option<Peer>,
    find: impl FnOnce(&Tokens, Timestamp) -> Option<&Token>,
) -> Option<Authenticated> {
    // Taken first, so that a concurrent reload cancels it.
    let version = file.version();
    let (tokens, now) = (file.tokens(), Timestamp::now());
    let token = find(&tokens, now)?;
    let caller = Caller::named(token.name(), peer, token.role());
    Some(Authenticated::by_token(caller, version, token.remaining(now)))
}
