//! What the retry layer costs when nothing goes wrong.
//!
//! The same upsert with the layer and without, by turns, so that whatever else the machine
//! does hits both alike. The median tells what is usual.

use std::time::{Duration, Instant};

use example_storage::{Database, Document, VectorStorage};
use steadfast::Key;

use crate::Problem;

/// A commit that waits for the disk takes so long that a layer could hide behind it; so it is
/// measured without as well.
const IN_MEMORY: &str = "options=-c%20synchronous_commit%3Doff";

/// Medians.
struct Overhead {
    with: Duration,
    without: Duration,
}

/// Measures and prints it.
pub(crate) async fn show(url: &str, rounds: u32) -> Result<(), Problem> {
    println!("\nwhat it costs when all is well (a document by turns, {rounds} times; medians):");
    println!("{:30}{:>13}{:>12}{:>8}", "", "with", "without", "ratio");
    measure(&Database::open(url).await?, rounds).await?.print("committed to the disk");
    let separator = if url.contains('?') { '&' } else { '?' };
    let in_memory = Database::open(&format!("{url}{separator}{IN_MEMORY}")).await?;
    measure(&in_memory, rounds).await?.print("not waiting for the disk");
    if cfg!(debug_assertions) {
        println!("    (of a build for debugging: run it with --release to see what it is)");
    }
    Ok(())
}

async fn measure(database: &Database, rounds: u32) -> Result<Overhead, Problem> {
    let vectors = database.vectors();
    let document = Document {
        id: "measured".to_owned(),
        content: "a text".to_owned(),
        embedding: vec![1.0; VectorStorage::DIMENSIONS],
    };
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        // Whoever comes second finds everything warm, so they take turns at that, too.
        for is_with in [round % 2 == 0, round % 2 != 0] {
            let began = Instant::now();
            if is_with {
                vectors.upsert("measured", &document).await?;
                with.push(began.elapsed());
            } else {
                vectors.upsert_once(&Key::fresh(), "measured", &document).await?;
                without.push(began.elapsed());
            }
        }
    }
    Ok(Overhead { with: median(with), without: median(without) })
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

impl Overhead {
    fn print(&self, what: &str) {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let ratio = self.with.as_secs_f64() / self.without.as_secs_f64().max(f64::MIN_POSITIVE);
        let (with, without) = (micros(self.with), micros(self.without));
        println!("    {what:26}{with:>10.1} us{without:>9.1} us{ratio:>8.3}");
    }
}
