//! The overhead of the retry layer without failures.
//!
//! The same upsert with the layer and without, alternately, so that other load on the machine affects
//! both.

use std::cmp::Ordering;
use std::time::{Duration, Instant};

use example_storage::{Database, Document, VectorStorage};
use steadfast::Key;

use crate::Problem;

/// A commit that waits for the disk takes so long that it could hide the overhead, so it is also
/// measured without.
const IN_MEMORY: &str = "options=-c%20synchronous_commit%3Doff";

/// Number of rounds. Each has its own ratio, and the result is their median, so that a busy machine
/// in some rounds does not matter.
const ROUNDS: usize = 20;

/// The limit for an upsert that waits for the disk, with the layer to without (X0), in a release
/// build.
const MAX_RATIO: f64 = 1.01;

/// Medians.
struct Overhead {
    with: Duration,
    without: Duration,
    ratio: f64,
}

/// Measures and prints the overhead. Returns whether it is within the limit.
pub(crate) async fn show(url: &str, times: u32) -> Result<bool, Problem> {
    println!("\noverhead without failures (one document, {times} times alternately; medians):");
    println!("{:30}{:>13}{:>12}{:>8}", "", "with", "without", "ratio");
    let on_disk = measure(&Database::open(url).await?, times).await?;
    on_disk.print("flushed to disk");
    let separator = if url.contains('?') { '&' } else { '?' };
    let in_memory = Database::open(&format!("{url}{separator}{IN_MEMORY}")).await?;
    measure(&in_memory, times).await?.print("not waiting for the disk");
    if cfg!(debug_assertions) {
        println!("    (debug build: run it with --release for real numbers)");
        return Ok(true);
    }
    let is_little = on_disk.ratio <= MAX_RATIO;
    if !is_little {
        println!("    MISSED: {MAX_RATIO} is the limit on disk; is the machine idle?");
    }
    Ok(is_little)
}

async fn measure(database: &Database, times: u32) -> Result<Overhead, Problem> {
    let vectors = database.vectors();
    let document = Document {
        id: "measured".to_owned(),
        content: "a text".to_owned(),
        embedding: vec![1.0; VectorStorage::DIMENSIONS],
    };
    let mut pairs = Vec::new();
    for time in 0..times {
        let (mut with, mut without) = (Duration::ZERO, Duration::ZERO);
        // The second finds warm caches, so the order alternates as well.
        for is_with in [time % 2 == 0, time % 2 != 0] {
            let began = Instant::now();
            if is_with {
                vectors.upsert("measured", &document).await?;
                with = began.elapsed();
            } else {
                vectors.upsert_once(&Key::fresh(), "measured", &document).await?;
                without = began.elapsed();
            }
        }
        pairs.push((with, without));
    }
    Ok(Overhead::of(&pairs))
}

fn median<T: PartialOrd + Copy + Default>(values: impl IntoIterator<Item = T>) -> T {
    let mut values: Vec<_> = values.into_iter().collect();
    values.sort_unstable_by(|one, other| one.partial_cmp(other).unwrap_or(Ordering::Equal));
    values.get(values.len() / 2).copied().unwrap_or_default()
}

impl Overhead {
    fn of(pairs: &[(Duration, Duration)]) -> Self {
        let with = |pairs: &[(Duration, Duration)]| median(pairs.iter().map(|pair| pair.0));
        let without = |pairs: &[(Duration, Duration)]| median(pairs.iter().map(|pair| pair.1));
        let rounds = pairs.chunks(pairs.len().div_ceil(ROUNDS).max(1));
        let ratio = rounds.map(|round| {
            with(round).as_secs_f64() / without(round).as_secs_f64().max(f64::MIN_POSITIVE)
        });
        Self { with: with(pairs), without: without(pairs), ratio: median(ratio) }
    }

    fn print(&self, what: &str) {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let (with, without, ratio) = (micros(self.with), micros(self.without), self.ratio);
        println!("    {what:26}{with:>10.1} us{without:>9.1} us{ratio:>8.3}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// X0: other load on the machine affects some rounds but not the median.
    #[test]
    fn busy_rounds_do_not_change_the_median() {
        let usual = (Duration::from_micros(1005), Duration::from_micros(1000));
        let busy = (Duration::from_micros(9000), Duration::from_micros(1000));
        let mut pairs = vec![usual; 1000];
        pairs.iter_mut().take(400).for_each(|pair| *pair = busy);
        let overhead = Overhead::of(&pairs);
        assert!((overhead.ratio - 1.005).abs() < 1e-9, "{}", overhead.ratio);
        assert_eq!((overhead.with, overhead.without), usual);
        assert!(Overhead::of(&[]).ratio.abs() < 1e-9);
    }
}
