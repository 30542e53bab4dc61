//! `cargo xtask docs`: the documentation, warnings denied.

use crate::run::{Failure, Run};
use crate::{only, place};

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    only(arguments, &["--open"])?;
    build().arguments(arguments).go()?;
    println!("{}", place::target().join("doc/steadfast/index.html").display());
    Ok(())
}

/// The build that the tests run as well.
pub(crate) fn build() -> Run {
    Run::cargo("doc --workspace --all-features --no-deps")
        .variable("RUSTDOCFLAGS", "-D warnings")
        .next("mend the documentation that the warnings point at")
}
