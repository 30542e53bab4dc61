//! Sessions of the page: who logged in, without their token in every request.
//!
//! A session is worth what its token is worth: at every request the token is looked up anew, so
//! that a token that is taken back, has expired or has another role changes its sessions at once.
//! They are kept in memory, for losing them costs a login and keeping them would make a stolen
//! copy of the store worth something. Each token has a few at most, so that nobody ends the
//! sessions of others by logging in again and again.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::secret_hash::{Kept, random};

/// How long a session lives that nobody uses.
const IDLE: Duration = Duration::from_secs(12 * 60 * 60);
/// How long a session lives at all.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// So many a token has at most; the one that was not used for longest goes.
const OF_ONE_TOKEN: usize = 20;

/// All sessions.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<Kept, Session>>);

struct Session {
    token: Kept,
    begun: Instant,
    used: Instant,
    over: CancellationToken,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.over.cancel();
    }
}

impl Session {
    fn new(token: Kept, now: Instant) -> Self {
        Self { token, begun: now, used: now, over: CancellationToken::new() }
    }

    fn lives(&self, now: Instant) -> bool {
        now - self.used < IDLE && now - self.begun < LONGEST
    }
}

/// A session that somebody came in with.
#[derive(Debug)]
pub(crate) struct Entered {
    /// The token that it was begun with.
    pub(crate) token: Kept,
    /// Cancelled when it is ended.
    pub(crate) over: CancellationToken,
    /// When it ends by itself, however much it is used.
    pub(crate) left: Duration,
}

impl Sessions {
    /// Begins a session of a token's holder: its id, which is told once.
    pub(crate) fn begin(&self, token: Kept) -> Result<String, getrandom::Error> {
        let id = random()?;
        let now = Instant::now();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, session| session.lives(now));
        let theirs = || all.iter().filter(|(_, session)| session.token == token);
        if theirs().count() >= OF_ONE_TOKEN {
            let stalest = theirs().min_by_key(|(_, session)| session.used).map(|(id, _)| *id);
            stalest.map(|id| all.remove(&id));
        }
        all.insert(Kept::of(&id), Session::new(token, now));
        Ok(id)
    }

    /// Whose session this is, and how long it lasts. It is used by this.
    pub(crate) fn enter(&self, id: &str) -> Option<Entered> {
        let now = Instant::now();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let session = all.get_mut(&Kept::of(id)).filter(|session| session.lives(now))?;
        session.used = now;
        let Session { token, begun, over, .. } = session;
        Some(Entered { token: *token, over: over.clone(), left: LONGEST - (now - *begun) })
    }

    /// Ends a session.
    pub(crate) fn end(&self, id: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&Kept::of(id));
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sessions(…)")
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    fn token(sessions: &Sessions, id: &str) -> Option<Kept> {
        sessions.enter(id).map(|entered| entered.token)
    }

    const HOUR: Duration = Duration::from_secs(60 * 60);

    /// K1: a session that nobody uses ends after twelve hours.
    #[tokio::test(start_paused = true)]
    async fn a_session_that_nobody_uses_ends() {
        let (sessions, ada) = (Sessions::default(), Kept::of("a"));
        let id = sessions.begin(ada).unwrap();
        advance(11 * HOUR).await;
        assert_eq!(token(&sessions, &id), Some(ada));
        advance(11 * HOUR).await;
        assert_eq!(token(&sessions, &id), Some(ada), "it was used meanwhile");
        advance(12 * HOUR).await;
        assert_eq!(token(&sessions, &id), None);
    }

    /// K1: and one that is used all the time, after seven days.
    #[tokio::test(start_paused = true)]
    async fn a_session_does_not_live_for_ever() {
        let sessions = Sessions::default();
        let id = sessions.begin(Kept::of("a")).unwrap();
        for _ in 0..16 {
            advance(10 * HOUR).await;
            assert!(token(&sessions, &id).is_some());
        }
        advance(10 * HOUR).await;
        assert!(token(&sessions, &id).is_none());
    }

    /// K1: whoever leaves is gone, and ids are not kept as they are.
    #[tokio::test]
    async fn a_session_is_ended() {
        let sessions = Sessions::default();
        let (one, other) =
            (sessions.begin(Kept::of("a")).unwrap(), sessions.begin(Kept::of("a")).unwrap());
        sessions.end(&one);
        assert!(token(&sessions, &one).is_none() && token(&sessions, &other).is_some());
        assert!(!format!("{sessions:?}").contains(&other));
    }

    /// K1: a stream that is followed with a session ends when the session does.
    #[tokio::test(start_paused = true)]
    async fn whoever_came_in_knows_how_long_a_session_lasts() {
        let sessions = Sessions::default();
        let id = sessions.begin(Kept::of("a")).unwrap();
        advance(HOUR).await;
        let entered = sessions.enter(&id).unwrap();
        assert_eq!(entered.left, LONGEST - HOUR);
        assert!(!entered.over.is_cancelled());
        sessions.end(&id);
        assert!(entered.over.is_cancelled());
    }

    /// K1, K4: who logs in again and again ends their own sessions, and nobody else's.
    #[tokio::test(start_paused = true)]
    async fn a_token_has_only_so_many_sessions() {
        let sessions = Sessions::default();
        let (bobs, adas) = (Kept::of("b"), Kept::of("a"));
        let bob = sessions.begin(bobs).unwrap();
        let (first, second) = (sessions.begin(adas).unwrap(), sessions.begin(adas).unwrap());
        for _ in 0..OF_ONE_TOKEN - 1 {
            advance(Duration::from_secs(1)).await;
            assert!(token(&sessions, &first).is_some());
            sessions.begin(adas).unwrap();
        }
        assert!(token(&sessions, &second).is_none(), "it was not used for longest");
        assert!(token(&sessions, &first).is_some() && token(&sessions, &bob).is_some());
        assert_eq!(sessions.0.lock().unwrap().len(), OF_ONE_TOKEN + 1);
    }
}
