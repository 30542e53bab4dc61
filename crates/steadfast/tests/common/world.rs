//! A test environment: time advances with waits, and random numbers are given.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use steadfast::Moment;
use steadfast::decide::DecisionEnv;
use steadfast::drive::{BlockingSleeper, Environment, Sleeper};

/// A clock, a timer and a list of draws. Clones are the same world.
#[derive(Clone)]
pub(crate) struct World(Rc<Inner>);

struct Inner {
    now: Cell<Moment>,
    draws: RefCell<VecDeque<u64>>,
    /// How many draws were asked for that are not written.
    missing: Cell<i64>,
    /// The waits that were asked for.
    waits: RefCell<Vec<Duration>>,
    /// When those who wait want to be woken.
    alarms: RefCell<Vec<Moment>>,
}

impl World {
    /// A world at its origin, with these draws and no others.
    pub(crate) fn new(draws: impl IntoIterator<Item = u64>) -> Self {
        Self(Rc::new(Inner {
            now: Cell::new(Moment::ORIGIN),
            draws: RefCell::new(draws.into_iter().collect()),
            missing: Cell::default(),
            waits: RefCell::default(),
            alarms: RefCell::default(),
        }))
    }

    pub(crate) fn now(&self) -> Moment {
        self.0.now.get()
    }

    /// Lets time pass at once.
    pub(crate) fn pass(&self, time: Duration) {
        self.0.now.set(self.now() + time);
    }

    /// Lets time pass while others wait, too.
    pub(crate) fn passing(&self, time: Duration) -> Passing {
        Passing { world: self.clone(), until: self.now() + time }
    }

    /// The waits that a driver asked for, in order.
    pub(crate) fn waits(&self) -> Vec<Duration> {
        self.0.waits.borrow().clone()
    }

    pub(crate) fn note_wait(&self, delay: Duration) {
        self.0.waits.borrow_mut().push(delay);
    }

    /// How many draws are left; fewer than none if more were asked for than written.
    pub(crate) fn draws_left(&self) -> i64 {
        self.0.draws.borrow().len() as i64 - self.0.missing.get()
    }

    fn next_draw(&self) -> u64 {
        let draw = self.0.draws.borrow_mut().pop_front();
        draw.unwrap_or_else(|| {
            self.0.missing.set(self.0.missing.get() + 1);
            u64::MAX / 2
        })
    }

    /// Runs a future: whenever it can do nothing but wait, time jumps to the next alarm.
    pub(crate) fn run<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return output;
            }
            let next = self.0.alarms.take().into_iter().min();
            self.0.now.set(next.expect("a future waits for nothing").max(self.now()));
        }
    }
}

/// Time that passes until a moment.
pub(crate) struct Passing {
    world: World,
    until: Moment,
}

impl Future for Passing {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.world.now() >= self.until {
            return Poll::Ready(());
        }
        self.world.0.alarms.borrow_mut().push(self.until);
        Poll::Pending
    }
}

impl Environment for World {
    type Sleep = Passing;

    fn now(&self) -> Moment {
        self.now()
    }

    fn draw(&mut self) -> u64 {
        self.next_draw()
    }
}

impl Sleeper for World {
    fn sleep(&self, delay: Duration) -> Passing {
        self.note_wait(delay);
        self.passing(delay)
    }
}

impl BlockingSleeper for World {
    fn block(&self, delay: Duration) {
        self.note_wait(delay);
        self.pass(delay);
    }
}

impl DecisionEnv for World {
    fn draw(&mut self) -> u64 {
        self.next_draw()
    }
}
