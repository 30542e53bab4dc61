//! I4: an error type without `From<GaveUp>`.

use steadfast::{Fault, retry};

#[derive(Debug, Fault)]
struct OwnError;

impl std::fmt::Display for OwnError {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        Ok(())
    }
}

#[retry]
fn plain() -> Result<(), OwnError> {
    Err(OwnError)
}

type Alias = Result<(), OwnError>;

#[retry]
async fn aliased() -> Alias {
    Err(OwnError)
}

fn main() {}
