//! The registry that code without one of its own asks: `#[retry(policy = "name")]`.

use arc_swap::ArcSwapOption;
use std::sync::Arc;

use super::Registry;

static INSTALLED: ArcSwapOption<Registry> = ArcSwapOption::const_empty();

impl Registry {
    /// Makes this the registry that `#[retry(policy = "name")]` finds its policies in. One that
    /// is installed later replaces it.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("steadfast.yaml");
    /// # std::fs::write(&path, r#"{version: "1.1.0", policies: {saving: {max_attempts: 5, base_delay: 0}},
    /// #   subsystem_mappings: {storage: {graph: {upsert: saving}}}}"#)?;
    /// use std::io;
    /// use steadfast::registry::Registry;
    /// use steadfast::{RetryError, retry};
    ///
    /// #[retry(policy = "storage.graph.upsert", max_attempts = 4)] // what is inline wins
    /// fn upsert() -> Result<(), RetryError<io::Error>> {
    ///     Err(io::ErrorKind::ConnectionReset.into())
    /// }
    ///
    /// Registry::load(&path)?.install();
    /// assert_eq!(upsert().unwrap_err().attempts(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn install(&self) {
        INSTALLED.store(Some(Arc::new(self.clone())));
    }

    /// The one that was installed.
    #[must_use]
    pub fn installed() -> Option<Self> {
        INSTALLED.load().as_deref().cloned()
    }
}
