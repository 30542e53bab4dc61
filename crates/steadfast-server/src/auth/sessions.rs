//! Login sessions of the web UI.
//!
//! A session refers to its token, which is looked up on every request, so a revoked, expired or changed
//! token affects its sessions at once. Sessions live in memory: losing them costs a login, and storing
//! them would make a stolen copy of the store useful. The number per token is limited, so that logging
//! in repeatedly ends only the caller's own sessions.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::secret_hash::{SecretHash, random};
use crate::lock::lock;

/// The lifetime of an unused session.
const IDLE_TIMEOUT: Duration = Duration::from_secs(12 * 60 * 60);
const MAX_LIFETIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The maximum number of sessions per token; the least recently used one is evicted.
const MAX_SESSIONS_PER_TOKEN: usize = 20;

#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<HashMap<SecretHash, Session>>);

#[derive(Debug)]
struct Session {
    token: SecretHash,
    started: Instant,
    last_used: Instant,
    ended: CancellationToken,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.ended.cancel();
    }
}

impl Session {
    fn new(token: SecretHash, now: Instant) -> Self {
        Self { token, started: now, last_used: now, ended: CancellationToken::new() }
    }

    fn is_alive(&self, now: Instant) -> bool {
        now - self.last_used < IDLE_TIMEOUT && now - self.started < MAX_LIFETIME
    }
}

/// A valid session and its remaining lifetime.
pub(crate) struct SessionLease {
    /// The token of the login.
    pub(crate) token: SecretHash,
    /// Cancelled when the session ends.
    pub(crate) ended: CancellationToken,
    /// The remaining lifetime, however much the session is used.
    pub(crate) remaining: Duration,
}

impl Sessions {
    pub(crate) fn start(&self, token: SecretHash) -> Result<String, getrandom::Error> {
        let id = random()?;
        let now = Instant::now();
        let mut all = lock(&self.0);
        all.retain(|_, session| session.is_alive(now));
        let of_token = || all.iter().filter(|(_, session)| session.token == token);
        if of_token().count() >= MAX_SESSIONS_PER_TOKEN {
            let oldest = of_token().min_by_key(|(_, session)| session.last_used).map(|(id, _)| *id);
            oldest.map(|id| all.remove(&id));
        }
        all.insert(SecretHash::of(&id), Session::new(token, now));
        Ok(id)
    }

    /// Looks up a session and marks it as used.
    pub(crate) fn touch(&self, id: &str) -> Option<SessionLease> {
        let now = Instant::now();
        let mut all = lock(&self.0);
        let session = all.get_mut(&SecretHash::of(id)).filter(|session| session.is_alive(now))?;
        session.last_used = now;
        let Session { token, started, ended, .. } = session;
        let remaining = MAX_LIFETIME - (now - *started);
        Some(SessionLease { token: *token, ended: ended.clone(), remaining })
    }

    pub(crate) fn end(&self, id: &str) {
        lock(&self.0).remove(&SecretHash::of(id));
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn token(sessions: &Sessions, id: &str) -> Option<SecretHash> {
        sessions.touch(id).map(|session| session.token)
    }

    const HOUR: Duration = Duration::from_secs(60 * 60);

    /// K1: an unused session ends after twelve hours.
    #[tokio::test(start_paused = true)]
    async fn idle_session_expires() {
        let (sessions, ada) = (Sessions::default(), SecretHash::of("a"));
        let id = sessions.start(ada).unwrap();
        advance(11 * HOUR).await;
        assert_eq!(token(&sessions, &id), Some(ada));
        advance(11 * HOUR).await;
        assert_eq!(token(&sessions, &id), Some(ada), "it was used meanwhile");
        advance(12 * HOUR).await;
        assert_eq!(token(&sessions, &id), None);
    }

    /// K1: a session in use ends after seven days.
    #[tokio::test(start_paused = true)]
    async fn active_session_expires_after_max_lifetime() {
        let sessions = Sessions::default();
        let id = sessions.start(SecretHash::of("a")).unwrap();
        for _ in 0..16 {
            advance(10 * HOUR).await;
            assert!(token(&sessions, &id).is_some());
        }
        advance(10 * HOUR).await;
        assert!(token(&sessions, &id).is_none());
    }

    /// K1: logout ends one session, and ids are not stored in plain text.
    #[tokio::test]
    async fn ended_session_is_invalid() {
        let sessions = Sessions::default();
        let (one, other) = (
            sessions.start(SecretHash::of("a")).unwrap(),
            sessions.start(SecretHash::of("a")).unwrap(),
        );
        sessions.end(&one);
        assert!(token(&sessions, &one).is_none() && token(&sessions, &other).is_some());
        assert!(!format!("{sessions:?}").contains(&other));
    }

    /// K1: an event stream opened with a session ends when the session does.
    #[tokio::test(start_paused = true)]
    async fn session_lease_reports_remaining_lifetime_and_end() {
        let sessions = Sessions::default();
        let id = sessions.start(SecretHash::of("a")).unwrap();
        advance(HOUR).await;
        let lease = sessions.touch(&id).unwrap();
        assert_eq!(lease.remaining, MAX_LIFETIME - HOUR);
        assert!(!lease.ended.is_cancelled());
        sessions.end(&id);
        assert!(lease.ended.is_cancelled());
    }

    /// K1, K4: repeated logins evict sessions of the same token only.
    #[tokio::test(start_paused = true)]
    async fn excess_sessions_of_a_token_are_evicted() {
        let sessions = Sessions::default();
        let (bobs, adas) = (SecretHash::of("b"), SecretHash::of("a"));
        let bob = sessions.start(bobs).unwrap();
        let (first, second) = (sessions.start(adas).unwrap(), sessions.start(adas).unwrap());
        for _ in 0..MAX_SESSIONS_PER_TOKEN - 1 {
            advance(Duration::from_secs(1)).await;
            assert!(token(&sessions, &first).is_some());
            sessions.start(adas).unwrap();
        }
        assert!(token(&sessions, &second).is_none(), "the least recently used session is evicted");
        assert!(token(&sessions, &first).is_some() && token(&sessions, &bob).is_some());
        assert_eq!(lock(&sessions.0).len(), MAX_SESSIONS_PER_TOKEN + 1);
    }
}
