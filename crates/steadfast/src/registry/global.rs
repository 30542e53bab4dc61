//! The global registry, for `#[retry(policy = "name")]`.

use arc_swap::ArcSwapOption;
use std::sync::Arc;

use super::Registry;

static GLOBAL: ArcSwapOption<Registry> = ArcSwapOption::const_empty();

impl Registry {
    /// Installs this as the global registry, in which `#[retry(policy = "name")]` finds its
    /// policies. A later call replaces it.
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
    /// #[retry(policy = "storage.graph.upsert", max_attempts = 4)] // inline values take precedence
    /// fn upsert() -> Result<(), RetryError<io::Error>> {
    ///     Err(io::ErrorKind::ConnectionReset.into())
    /// }
    ///
    /// Registry::load(&path)?.install();
    /// assert_eq!(upsert().unwrap_err().attempts(), 4);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn install(&self) {
        GLOBAL.store(Some(Arc::new(self.clone())));
    }

    /// The global registry, if one is installed.
    #[must_use]
    pub fn installed() -> Option<Self> {
        GLOBAL.load().as_deref().cloned()
    }
}
