//! An error without facts.

use steadfast::{Policy, retry};

#[derive(Debug)]
struct Mute;

async fn fetch() -> Result<(), Mute> {
    Err(Mute)
}

async fn run(policy: &Policy) {
    let _ = retry(policy, fetch).await;
    let _ = retry(policy, || Err::<(), _>(Mute)).call();
}

fn main() {
    let _ = run;
}
