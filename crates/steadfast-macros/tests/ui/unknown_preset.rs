//! I8: a misspelt preset.

use steadfast::retry;

#[retry(policy = "workflows")]
fn misspelled() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
