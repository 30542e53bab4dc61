//! Who may do what (K1).
//!
//! A server that anybody in reach can talk to is asked by people and programs that it has to
//! tell apart. Nothing reaches a handler without having passed the [`gate`]:
//!
//! ```text
//!   request ─▶ origin: from our own page? ─▶ who is it? ───────────────▶ caller, role ─▶ handler
//!                                             ├ bearer ─▶ tokens            │
//!                                             │             └ wrong ─▶ tries ─▶ 401, 429
//!                                             ├ cookie ─▶ sessions ─▶ tokens│
//!                                             └ neither, or a session that is over ─▶ 401, /login
//! ```
//!
//! What a role may do is not decided here: each handler demands it in its own signature, by what
//! it takes of [`ask`](crate::auth::extract).

mod authenticate;
mod authenticated;
pub(crate) mod caller;
pub(crate) mod cookie;
pub(crate) mod extract;
pub(crate) mod login;
mod login_throttle;
mod origin;
mod role;
pub(crate) mod route_roles;
mod secret_hash;
mod sessions;
mod tokens;
mod tokens_file;

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use jiff::Timestamp;

use crate::auth::caller::{Caller, Peer};

pub(crate) use authenticate::gate;
pub(crate) use origin::Hosts;
pub use role::{Role, UnknownRole};
pub use tokens::{FreshToken, NoToken, Token, TokenProblem, TokenProblems, Tokens};
pub(crate) use tokens_file::TokensFile;

use authenticated::Pass;
use login_throttle::Tries;
use secret_hash::Kept;
use sessions::Sessions;

/// What is known of those who may come in.
#[derive(Debug, Default)]
pub(crate) struct Auth {
    /// None: nobody is asked, for only this machine can ask.
    tokens: Option<TokensFile>,
    hosts: Hosts,
    over_tls: bool,
    /// Whether there are pages to log in to.
    has_pages: bool,
    sessions: Sessions,
    tries: Tries,
}

impl Auth {
    pub(crate) fn new(
        tokens: Option<TokensFile>,
        hosts: Hosts,
        over_tls: bool,
        has_pages: bool,
    ) -> Self {
        Self { tokens, hosts, over_tls, has_pages, ..Self::default() }
    }

    pub(crate) const fn tokens(&self) -> Option<&TokensFile> {
        self.tokens.as_ref()
    }

    /// Whether connections are TLS.
    pub(crate) const fn over_tls(&self) -> bool {
        self.over_tls
    }

    /// Whoever holds this token.
    fn by_token(&self, tokens: &TokensFile, presented: &str, peer: Option<Peer>) -> Option<Pass> {
        // First, so that tokens which are replaced meanwhile are noticed.
        let version = tokens.version();
        let (tokens, now) = (tokens.tokens(), Timestamp::now());
        let token = tokens.holder(presented, now)?;
        Some(Pass::by_token(caller(token, peer), version, token.left(now)))
    }

    /// Whoever began this session, if the token that they began it with still holds.
    fn by_session(&self, tokens: &TokensFile, id: &str, peer: Option<Peer>) -> Option<Pass> {
        let version = tokens.version();
        let session = self.sessions.enter(id)?;
        let (tokens, now) = (tokens.tokens(), Timestamp::now());
        let token = tokens.of(&session.token, now)?;
        Some(Pass::by_token(caller(token, peer), version, token.left(now)).within(session))
    }

    /// Begins a session of whoever holds this token.
    fn begin(&self, token: &str) -> Result<String, getrandom::Error> {
        self.sessions.begin(Kept::of(token))
    }

    /// Counts a wrong token. If there were too many: how long to wait.
    fn wrong(&self, peer: Option<Peer>) -> Result<(), Duration> {
        let nowhere = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
        self.tries.wrong(peer.map_or(nowhere, Peer::ip))
    }
}

fn caller(token: &Token, peer: Option<Peer>) -> Caller {
    Caller::named(token.name(), peer, token.role())
}
