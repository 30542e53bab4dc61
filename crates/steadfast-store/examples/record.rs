//! A program that records its sessions in a store, where the web UI shows them (O1):
//!
//! ```text
//! cargo run -p steadfast-store --example record -- sqlite:steadfast.db
//! ```
//!
//! A cart is saved at the third attempt, and a card is never charged.

use std::env;
use std::error::Error;
use std::io;
use std::time::Duration;

use steadfast::observe::Recorder;
use steadfast::{Attempt, Policy, retry};
use steadfast_store::{Store, StoreSink};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = env::args().nth(1).ok_or("missing argument: sqlite:PATH or postgres://…")?;
    let (sink, writer) = StoreSink::new(Store::open(&url).await?);
    let writing = tokio::spawn(writer.run());
    let policy = Policy::fixed(Duration::from_millis(20)).max_attempts(3).id("quick").build()?;
    for (operation, failures) in [("shop.save_cart", 2), ("shop.charge_card", 3)] {
        let call = |attempt: Attempt| service(attempt.number() > failures);
        let outcome = retry(&policy, call).named(operation).instrument(Recorder::new(&sink)).await;
        match outcome {
            Ok(()) => println!("{operation} succeeded"),
            Err(error) => println!("{operation} failed: {error}"),
        }
    }
    // When the last sink is dropped, the rest is written and the writer ends.
    drop(sink);
    Ok(writing.await?)
}

async fn service(is_up: bool) -> io::Result<()> {
    if is_up { Ok(()) } else { Err(io::ErrorKind::ConnectionReset.into()) }
}
