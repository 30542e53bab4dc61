//! Sessions of the page: who logged in, without their token in every request.
//!
//! A session is worth what its token is worth: at every request the token is looked up anew, so
//! that a token that is taken back, has expired or has another role changes its sessions at once.
//! They are kept in memory, for losing them costs a login and keeping them would make a stolen
//! copy of the store worth something.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::secret::{Kept, random};

/// How long a session lives that nobody uses.
const IDLE: Duration = Duration::from_secs(12 * 60 * 60);
/// How long a session lives at all.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// So many there are at most; the one that was not used for longest goes.
const MOST: usize = 10_000;

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

impl Sessions {
    /// Begins a session of a token's holder: its id, which is told once.
    pub(crate) fn begin(&self, token: Kept) -> Result<String, getrandom::Error> {
        let id = random()?;
        let now = Instant::now();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, session| session.lives(now));
        if all.len() >= MOST {
            let stalest = all.iter().min_by_key(|(_, session)| session.used).map(|(id, _)| *id);
            stalest.map(|id| all.remove(&id));
        }
        all.insert(Kept::of(&id), Session::new(token, now));
        Ok(id)
    }

    /// Whose session this is.
    pub(crate) fn token(&self, id: &str) -> Option<Kept> {
        let now = Instant::now();
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let session = all.get_mut(&Kept::of(id)).filter(|session| session.lives(now))?;
        session.used = now;
        Some(session.token)
    }

    /// Cancelled when this session is over.
    pub(crate) fn over(&self, id: &str) -> Option<CancellationToken> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&Kept::of(id)).map(|session| session.over.clone())
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

    const HOUR: Duration = Duration::from_secs(60 * 60);

    /// K1: a session that nobody uses ends after twelve hours.
    #[tokio::test(start_paused = true)]
    async fn a_session_that_nobody_uses_ends() {
        let (sessions, token) = (Sessions::default(), Kept::of("a"));
        let id = sessions.begin(token).unwrap();
        advance(11 * HOUR).await;
        assert_eq!(sessions.token(&id), Some(token));
        advance(11 * HOUR).await;
        assert_eq!(sessions.token(&id), Some(token), "it was used meanwhile");
        advance(12 * HOUR).await;
        assert_eq!(sessions.token(&id), None);
    }

    /// K1: and one that is used all the time, after seven days.
    #[tokio::test(start_paused = true)]
    async fn a_session_does_not_live_for_ever() {
        let sessions = Sessions::default();
        let id = sessions.begin(Kept::of("a")).unwrap();
        for _ in 0..16 {
            advance(10 * HOUR).await;
            assert!(sessions.token(&id).is_some());
        }
        advance(10 * HOUR).await;
        assert!(sessions.token(&id).is_none());
    }

    /// K1: whoever leaves is gone, and ids are not kept as they are.
    #[tokio::test]
    async fn a_session_is_ended() {
        let sessions = Sessions::default();
        let (one, other) =
            (sessions.begin(Kept::of("a")).unwrap(), sessions.begin(Kept::of("a")).unwrap());
        sessions.end(&one);
        assert!(sessions.token(&one).is_none() && sessions.token(&other).is_some());
        assert!(!format!("{sessions:?}").contains(&other));
    }

    /// K4: however many there are, memory is bounded.
    #[tokio::test(start_paused = true)]
    async fn there_are_only_so_many_sessions() {
        let sessions = Sessions::default();
        let first = sessions.begin(Kept::of("a")).unwrap();
        advance(Duration::from_secs(1)).await;
        for _ in 0..MOST {
            sessions.begin(Kept::of("a")).unwrap();
        }
        assert!(sessions.token(&first).is_none());
        assert_eq!(sessions.0.lock().unwrap().len(), MOST);
    }
}
