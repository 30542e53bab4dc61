//! I8: a field with a policy expression.

use steadfast::{Policy, retry};

static STORAGE: Policy = Policy::immediate().constant();

#[retry(policy = STORAGE, max_attempts = 4)]
fn changed() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
