//! What the retry layer costs when nothing goes wrong.
//!
//! The same upsert with the layer and without, by turns, so that whatever else the machine
//! does hits both alike. The median tells what is usual.

use std::time::{Duration, Instant};

use example_storage::{Database, Document, VectorStorage};
use steadfast::Key;

use crate::Problem;

pub(crate) struct Overhead {
    rounds: u32,
    with: Duration,
    without: Duration,
}

pub(crate) async fn measure(database: &Database, rounds: u32) -> Result<Overhead, Problem> {
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
    Ok(Overhead { rounds, with: median(with), without: median(without) })
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

impl Overhead {
    pub(crate) fn print(&self) {
        let micros = |time: Duration| time.as_secs_f64() * 1e6;
        let ratio = self.with.as_secs_f64() / self.without.as_secs_f64().max(f64::MIN_POSITIVE);
        println!("\nwhat it costs when all is well (a document, {} times each):", self.rounds);
        println!("    with the retry layer  {:>8.1} us, median", micros(self.with));
        println!("    without               {:>8.1} us, median", micros(self.without));
        println!("    ratio                 {ratio:>8.3}");
        if cfg!(debug_assertions) {
            println!("    (of a build for debugging: run it with --release to see what it is)");
        }
    }
}
