//! I8: a policy of the program's own is used as it is.

use steadfast::{Policy, retry};

static STORAGE: Policy = Policy::immediate().constant();

#[retry(policy = STORAGE, max_attempts = 4)]
fn changed() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
