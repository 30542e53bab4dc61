//! One who looks for all who follow, for as long as there is anybody.
//!
//! Whoever follows has somebody look if nobody does; who looks asks before every look whether
//! anybody still follows, and leaves if not. Both are decided under one lock, so there is never
//! nobody while there is a follower, and never two. Who panics has left, too.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The post that one holds at a time.
#[derive(Debug, Default)]
pub(crate) struct Lookout(Arc<Mutex<Post>>);

#[derive(Debug, Default)]
struct Post {
    holder: Option<u64>,
    so_far: u64,
}

impl Lookout {
    /// Counts a follower by this, and has this look for it if nobody does.
    pub(crate) fn follow<T, L>(&self, count: impl FnOnce() -> T, look: impl FnOnce(Duty) -> L) -> T
    where
        L: Future<Output = ()> + Send + 'static,
    {
        let mut post = lock(&self.0);
        let follower = count();
        if post.holder.is_none() {
            post.so_far += 1;
            post.holder = Some(post.so_far);
            tokio::spawn(look(Duty { post: self.0.clone(), holder: post.so_far }));
        }
        follower
    }
}

/// The duty of whoever looks.
#[derive(Debug)]
pub(crate) struct Duty {
    post: Arc<Mutex<Post>>,
    holder: u64,
}

impl Duty {
    /// Whether it goes on. Who is told not has left.
    pub(crate) fn goes_on(&self, is_followed: impl FnOnce() -> bool) -> bool {
        let mut post = lock(&self.post);
        let goes_on = is_followed();
        if !goes_on {
            post.leave(self.holder);
        }
        goes_on
    }
}

impl Drop for Duty {
    fn drop(&mut self) {
        lock(&self.post).leave(self.holder);
    }
}

impl Post {
    fn leave(&mut self, holder: u64) {
        if self.holder == Some(holder) {
            self.holder = None;
        }
    }
}

fn lock(post: &Mutex<Post>) -> MutexGuard<'_, Post> {
    post.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    async fn stays(duty: Duty) {
        let _duty = duty;
        pending().await
    }

    /// H2: one looks for all.
    #[tokio::test]
    async fn one_looks_for_all_who_follow() {
        let (lookout, mut looks) = (Lookout::default(), 0);
        for _ in 0..3 {
            lookout.follow(
                || (),
                |duty| {
                    looks += 1;
                    stays(duty)
                },
            );
        }
        assert_eq!(looks, 1);
    }

    /// H2: when nobody follows any more it ends, and the next follower is looked for again.
    #[tokio::test]
    async fn who_is_not_needed_leaves_and_another_comes() {
        let lookout = Lookout::default();
        let (left, mut is_left) = tokio::sync::mpsc::unbounded_channel();
        for _ in 0..2 {
            let left = left.clone();
            lookout.follow(
                || (),
                async move |duty: Duty| {
                    assert!(duty.goes_on(|| true) && !duty.goes_on(|| false));
                    left.send(()).unwrap();
                    stays(duty).await;
                },
            );
            is_left.recv().await.unwrap();
        }
    }

    /// K4: a mistake of whoever looks is not the end of looking.
    #[tokio::test]
    async fn who_panics_has_left() {
        let lookout = Lookout::default();
        lookout.follow(
            || (),
            async |duty: Duty| {
                let _duty = duty;
                panic!("a mistake");
            },
        );
        while lock(&lookout.0).holder.is_some() {
            tokio::task::yield_now().await;
        }
    }
}
