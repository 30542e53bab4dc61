//! The parameter `instrument`, with a recorder for each session (I8, O1).

use std::io;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use steadfast::guard::{Breaker, BreakerSettings};
use steadfast::observe::{Memory, Recorder};
use steadfast::{Kind, RetryError, retry};

use crate::refused;

#[derive(Default)]
struct Watched {
    memory: Arc<Memory>,
    calls: u32,
}

impl Watched {
    fn recorder(&self) -> Recorder<Arc<Memory>> {
        Recorder::new(Arc::clone(&self.memory))
    }

    #[retry(backoff_type = "immediate", name = "watched.plain", instrument = self.recorder())]
    fn plain(&mut self) -> io::Result<u32> {
        self.calls += 1;
        if self.calls < 3 { Err(refused()) } else { Ok(self.calls) }
    }

    #[retry(backoff_type = "immediate", breaker = SHUT, instrument = self.recorder())]
    async fn refused(&self) -> Result<(), RetryError<io::Error>> {
        Err(refused())
    }
}

static SHUT: LazyLock<Breaker> = LazyLock::new(|| {
    Breaker::new(BreakerSettings::consecutive(1, Duration::from_secs(60))).unwrap()
});

/// O1: a session is recorded by what is made for it, and the next one by another.
#[tokio::test]
async fn instrument_parameter_observes_each_session() {
    let mut watched = Watched::default();
    assert_eq!((watched.plain().unwrap(), watched.plain().unwrap()), (3, 4));
    let sessions = watched.memory.sessions();
    let attempts: Vec<_> = sessions.iter().map(|session| session.attempts.len()).collect();
    assert_eq!(attempts, [3, 1]);
    assert_eq!(sessions[0].operation, "watched.plain");
    let kind = sessions[0].attempts[0].fault.as_ref().unwrap().kind;
    assert_eq!(kind, Some(Kind::ConnectionRefused));
    assert_ne!(sessions[0].session_id, sessions[1].session_id);
}

/// G2: a rejected attempt is not reported to the instrument.
#[tokio::test]
async fn instrument_is_called_after_the_guards() {
    let watched = Watched::default();
    for attempts in [1, 0] {
        assert_eq!(watched.refused().await.unwrap_err().attempts(), attempts);
    }
    assert_eq!(watched.memory.sessions().len(), 1);
}
