//! O2 and I10: a disabled log costs next to nothing.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![cfg(feature = "tracing")]
#![allow(unsafe_code, reason = "an allocator is unsafe by nature")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt;

use steadfast::{Failure, Fault, Kind, Policy, retry};
use tracing::field::Field;
use tracing::level_filters::LevelFilter;
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// Counts the allocations of each thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is forwarded to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps to the contract, which is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps to the contract, which is the same.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(of: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    of();
    ALLOCATIONS.get() - before
}

#[derive(Debug)]
struct Slow;

impl Failure for Slow {
    fn fault(&self) -> Fault {
        Fault::of(Kind::Timeout).with_message("slow")
    }
}

/// Reads every field of an event.
struct Reader;

impl<S: Subscriber> Layer<S> for Reader {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        event.record(&mut |field: &Field, value: &dyn fmt::Debug| {
            assert!(!format!("{field}={value:?}").is_empty());
        });
    }
}

fn read_by(most: LevelFilter, of: impl FnOnce() -> usize) -> usize {
    let subscriber = tracing_subscriber::registry().with(Reader.with_filter(most));
    tracing::subscriber::with_default(subscriber, of)
}

/// O2: one test, because the log level is the same for all threads.
#[test]
fn disabled_events_are_not_rendered() {
    let policy = Policy::immediate().build().unwrap();
    let succeed = || retry(&policy, || Ok::<_, std::io::Error>(())).named("calls").call().unwrap();
    let plain = || allocations(succeed);
    // One-time initialization.
    let _ = read_by(LevelFilter::DEBUG, plain);

    assert_eq!(plain(), 0, "with no reader");
    assert_eq!(read_by(LevelFilter::INFO, plain), 0, "with a reader of more than DEBUG");
    assert!(read_by(LevelFilter::DEBUG, plain) > 0, "with a reader of DEBUG");

    // A retry is recorded, which allocates; its fault is formatted only if an event with it is
    // enabled.
    let stumble = || {
        let mut first = true;
        let once = || if std::mem::take(&mut first) { Err(Slow) } else { Ok(()) };
        retry(&policy, once).call().unwrap();
    };
    let retried = || allocations(stumble);
    let unread = read_by(LevelFilter::ERROR, retried);
    let warned = read_by(LevelFilter::WARN, retried);
    assert!(warned > unread, "with a reader of WARN");
    assert!(read_by(LevelFilter::INFO, retried) > warned, "with a reader of INFO");
}
