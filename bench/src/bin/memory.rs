//! The memory table: the size of a sleeping session's future, and its heap, with a hundred thousand
//! sessions in tasks of their own.

use std::alloc::System;
use std::time::Duration;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use steadfast_bench::operation::runtime;
use steadfast_bench::{Sleeper, cases, report};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const TASKS: usize = 100_000;

fn main() {
    let head = ["bytes", "size of the future", "heap per sleeping task"];
    let rows = cases::sleepers().into_iter().map(|sleeper| {
        eprintln!("         memory        {}", sleeper.name);
        let heap = format!("{:.0}", heap_per_task(&sleeper));
        [sleeper.name.to_owned(), sleeper.size.to_string(), heap]
    });
    print!("{}", report::table(&head, rows));
}

fn heap_per_task(sleeper: &Sleeper) -> f64 {
    runtime().block_on(async {
        let region = Region::new(ALLOCATOR);
        for _ in 0..TASKS {
            (sleeper.spawn)();
        }
        wait_until_all_sleep().await;
        let change = region.change();
        (change.bytes_allocated - change.bytes_deallocated) as f64 / TASKS as f64
    })
}

/// Waits until all tasks have been polled, and asserts that none has ended.
async fn wait_until_all_sleep() {
    for _ in 0..5 {
        tokio::task::yield_now().await;
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let alive = tokio::runtime::Handle::current().metrics().num_alive_tasks();
    assert_eq!(alive, TASKS, "tasks alive");
}
