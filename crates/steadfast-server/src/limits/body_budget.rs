//! Room for what is sent.
//!
//! Each body has a size, and how many requests there are at a time is bounded; but the one times the
//! other is more than any machine has. So what is large has to find room before it is read, and
//! keeps it until it is answered: what was made of it takes as much. Who finds none within a moment
//! is asked to come again (K4).
//!
//! What is small needs none. Four thousand of them are little, and a worker's sign of life must not
//! wait behind somebody's batch.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use steadfast_api::{ApiError, ErrorKind};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// How many bytes there are at a time.
const ALL: u32 = 256 << 20;
/// What has so many bytes at most is small.
const SMALL: u32 = 64 << 10;
/// How long something large waits until there is room for it.
const WITHIN: Duration = Duration::from_secs(5);

/// The room that there is.
#[derive(Debug)]
pub(crate) struct Room {
    all: u32,
    small: u32,
    left: Arc<Semaphore>,
}

/// What a request has of it, until it is answered. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Held(Arc<OnceLock<OwnedSemaphorePermit>>);

impl Default for Room {
    fn default() -> Self {
        Self::of(ALL, SMALL)
    }
}

impl Room {
    fn of(all: u32, small: u32) -> Self {
        Self { all, small, left: Arc::new(Semaphore::new(all as usize)) }
    }

    /// Waits until there is room for so many bytes, but not for long, and has it held.
    pub(crate) async fn take(&self, bytes: u64, held: &Held) -> Result<(), ApiError> {
        if bytes <= u64::from(self.small) {
            return Ok(());
        }
        // What is larger than all room there is comes when there is nothing else.
        let bytes = u32::try_from(bytes).unwrap_or(self.all).min(self.all);
        let taking = self.left.clone().acquire_many_owned(bytes);
        let Ok(Ok(taken)) = timeout(WITHIN, taking).await else {
            return Err(no_room());
        };
        // A request has one body.
        let _ = held.0.set(taken);
        Ok(())
    }
}

fn no_room() -> ApiError {
    let detail = "so much is sent to this server that there is no room for more";
    ApiError::new(ErrorKind::Unreachable, detail)
        .next("send it again in a moment, or less of it at once")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: what is large waits for room, is refused if there is none in time, and what is small
    /// goes by.
    #[tokio::test(start_paused = true)]
    async fn all_of_them_together_have_a_size() {
        let (room, first, second) = (Room::of(100, 10), Held::default(), Held::default());
        room.take(60, &first).await.unwrap();
        room.take(40, &second).await.unwrap();
        let refused = room.take(11, &Held::default()).await.unwrap_err();
        assert_eq!((refused.status, refused.next.is_some()), (503, true));
        room.take(10, &Held::default()).await.unwrap();

        let answered = async {
            tokio::time::sleep(WITHIN / 2).await;
            drop(first);
        };
        let third = Held::default();
        let (taken, ()) = tokio::join!(room.take(60, &third), answered);
        taken.unwrap();
    }

    /// K4: what is larger than everything comes alone, and not never.
    #[tokio::test(start_paused = true)]
    async fn the_largest_comes_alone() {
        let (room, held) = (Room::of(100, 10), Held::default());
        room.take(u64::MAX, &held).await.unwrap();
        room.take(11, &Held::default()).await.unwrap_err();
        drop(held);
        room.take(11, &Held::default()).await.unwrap();
    }
}
