//! I8: a name that is nearly a ready-made one, with those that there are.

use steadfast::retry;

#[retry(policy = "workflows")]
fn misspelled() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
