//! Paths of the repository and its build directory.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub(crate) fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// Cargo's build directory.
pub(crate) fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    root().join(target)
}
