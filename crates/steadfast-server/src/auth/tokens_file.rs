//! The tokens file in use, replaced atomically on reload.

#[cfg(unix)]
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use arc_swap::ArcSwap;
use serde_json::{Value, json};
use steadfast::__private::FileWatcher;
use steadfast::file::Problems;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::tokens::{Token, Tokens};
use crate::lock::lock;

#[derive(Debug)]
pub(crate) struct TokensFile {
    path: PathBuf,
    watcher: FileWatcher,
    tokens: ArcSwap<Tokens>,
    /// Cancelled when the tokens are replaced.
    version: Mutex<CancellationToken>,
}

impl TokensFile {
    pub(crate) fn read(path: PathBuf) -> Result<Self, Problems> {
        // Before the file is read, so that no later change is missed.
        let watcher = FileWatcher::new(vec![path.clone()]);
        let tokens = Tokens::read(&path)?;
        warn_if_readable_by_others(&path);
        let tokens = ArcSwap::from_pointee(tokens);
        Ok(Self { path, watcher, tokens, version: Mutex::default() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) const fn watcher(&self) -> &FileWatcher {
        &self.watcher
    }

    pub(crate) fn tokens(&self) -> Arc<Tokens> {
        self.tokens.load_full()
    }

    /// Cancelled when the current tokens are replaced.
    pub(crate) fn version(&self) -> CancellationToken {
        lock(&self.version).clone()
    }

    /// Reloads the file and returns the changes, if any, for the audit log. On an error the current
    /// tokens stay in use.
    pub(crate) fn reload(&self) -> Result<Option<Value>, Problems> {
        let file = self.path.display();
        let fresh = Tokens::read(&self.path)?;
        warn_if_readable_by_others(&self.path);
        let before = self.tokens.load_full();
        if *before == fresh {
            return Ok(None);
        }
        if fresh.is_empty() {
            warn!(target: "steadfast", %file, "the tokens file has no tokens: every request will be rejected");
        }
        let changes = changes(&before, &fresh);
        self.tokens.store(Arc::new(fresh));
        std::mem::take(&mut *lock(&self.version)).cancel();
        info!(target: "steadfast", %file, %changes, "tokens reloaded");
        Ok(Some(changes))
    }
}

fn changes(before: &Tokens, now: &Tokens) -> Value {
    let named = |all: &Tokens, name: &str| all.iter().find(|it| it.name() == name).cloned();
    let missing = |from: &Tokens, of: &Tokens| -> Vec<String> {
        let names = of.iter().map(Token::name).filter(|name| named(from, name).is_none());
        names.map(str::to_owned).collect()
    };
    let is_changed = |token: &&Token| named(before, token.name()).is_some_and(|it| it != **token);
    let changed: Vec<&str> = now.iter().filter(is_changed).map(Token::name).collect();
    json!({"added": missing(before, now), "removed": missing(now, before), "changed": changed})
}

/// Write access to the file grants any role; read access reveals the names.
#[cfg(unix)]
fn warn_if_readable_by_others(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let Ok(metadata) = fs::metadata(path) else {
        return;
    };
    let mode = metadata.permissions().mode();
    if mode & 0o026 != 0 {
        let (file, mode) = (path.display(), mode & 0o777);
        warn!(target: "steadfast", %file, mode = %format_args!("{mode:o}"), "the tokens file is accessible to other users; run `chmod 600` on it");
    }
}

#[cfg(not(unix))]
fn warn_if_readable_by_others(_: &Path) {}
