//! The builder of a registry.

use std::path::{Path, PathBuf};

use super::Registry;
use super::change::Change;
use super::reload::{Check, Listener};
use crate::file::{Overlay, Policies, Problems};
use crate::policy::Setting;

/// Builds a registry. [`Registry::load`] is the short form.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("steadfast.yaml");
/// # std::fs::write(&path, r#"{version: "1.1.0", policies: {calls: {}}}"#)?;
/// use steadfast::registry::Loader;
///
/// let registry = Loader::file(&path)
///     .set("calls", "max_attempts", "7")
///     .on_change(|change| println!("{change}"))
///     .load()?;
/// assert_eq!(registry.policy("calls").max_attempts(), 7);
/// assert_eq!(registry.explain("calls").value("max_attempts").unwrap().origin.to_string(), "code");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "it does nothing until it is loaded"]
pub struct Loader {
    pub(super) file: Option<PathBuf>,
    pub(super) overlay: Overlay,
    pub(super) watched: bool,
    pub(super) checks: Vec<Check>,
    pub(super) listeners: Vec<Listener>,
}

impl Loader {
    /// The policies of a file, with the environment variables of this process applied. The file is
    /// watched.
    pub fn file(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        // The working directory may change later.
        let file = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Self { file: Some(file), ..Self::presets() }
    }

    /// The presets alone, with the environment variables of this process applied.
    pub fn presets() -> Self {
        let overlay = Overlay::from_env();
        Self { file: None, overlay, watched: true, checks: Vec::new(), listeners: Vec::new() }
    }

    /// Sets the variables to apply, instead of the environment.
    pub fn variables<N: Into<String>, V: Into<String>>(
        mut self,
        variables: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let text = |(name, value): (N, V)| (name.into(), value.into());
        self.overlay.variables = variables.into_iter().map(text).collect();
        self
    }

    /// Sets a value that overrides the file and the environment (F3).
    pub fn set(
        mut self,
        policy: impl Into<String>,
        field: impl Into<String>,
        value: impl Into<Setting>,
    ) -> Self {
        self.overlay.code.push((policy.into(), field.into(), value.into()));
        self
    }

    /// Does not watch the file; only [`Registry::reload`] reads it again.
    pub fn unwatched(mut self) -> Self {
        self.watched = false;
        self
    }

    /// Adds a check of each version of the file, including the first, before it becomes active. If
    /// the check fails, the previous version stays active (F4).
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("steadfast.yaml");
    /// # std::fs::write(&path, "version: '1.1.0'\nx-shards: 0\npolicies: {calls: {}}\n")?;
    /// use steadfast::file::Policies;
    /// use steadfast::registry::Loader;
    ///
    /// let shards = |policies: &Policies| match policies.extension::<u32>("x-shards")? {
    ///     Some(0) => Err(policies.problem("x-shards", "must be greater than 0").suggest("write 1")),
    ///     _ => Ok(()),
    /// };
    /// let problems = Loader::file(&path).check(shards).load().unwrap_err();
    /// assert!(problems.to_string().ends_with(":2:11: x-shards: must be greater than 0; write 1"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check<E: Into<Problems>>(
        mut self,
        check: impl Fn(&Policies) -> Result<(), E> + Send + Sync + 'static,
    ) -> Self {
        self.checks.push(Box::new(move |policies| check(policies).map_err(Into::into)));
        self
    }

    /// Calls a function after each change of the file, applied or rejected, on the thread that
    /// reloads.
    pub fn on_change(mut self, listener: impl Fn(&Change) + Send + Sync + 'static) -> Self {
        self.listeners.push(Box::new(listener));
        self
    }

    /// Reads the file and builds the registry.
    ///
    /// # Errors
    /// All problems of the file, the variables, the values set here, and the checks.
    pub fn load(self) -> Result<Registry, Problems> {
        Registry::build(self)
    }
}
