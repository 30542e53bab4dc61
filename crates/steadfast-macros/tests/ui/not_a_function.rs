//! I8: items that are not functions with a body.

use steadfast::retry;

#[retry]
struct Thing;

trait Fetch {
    #[retry]
    fn fetch(&self) -> std::io::Result<()>;
}

#[retry]
const fn constant() -> std::io::Result<()> {
    Ok(())
}

fn main() {}
