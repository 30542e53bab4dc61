//! The tokens that hold now. They are replaced whole, or not at all.

#[cfg(unix)]
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::reload::file_watcher::Watched;

use super::tokens::{Token, TokenProblems, Tokens};

/// The tokens of a file.
#[derive(Debug)]
pub(crate) struct TokensFile {
    path: PathBuf,
    watched: Watched,
    tokens: ArcSwap<Tokens>,
    /// Cancelled when other tokens take their place.
    version: Mutex<CancellationToken>,
}

impl TokensFile {
    pub(crate) fn read(path: PathBuf) -> Result<Self, TokenProblems> {
        let watched = Watched::new(vec![path.clone()]);
        let tokens = Tokens::read(&path)?;
        warn_of_others(&path);
        let tokens = ArcSwap::from_pointee(tokens);
        Ok(Self { path, watched, tokens, version: Mutex::default() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn watched(&self) -> Watched {
        self.watched.clone()
    }

    pub(crate) fn tokens(&self) -> Arc<Tokens> {
        self.tokens.load_full()
    }

    /// Cancelled when these tokens hold no longer.
    pub(crate) fn version(&self) -> CancellationToken {
        self.version.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the file again: what changed, for the audit log, if anything did. With a bad file
    /// the tokens stay as they are.
    pub(crate) fn reload(&self) -> Result<Option<Value>, TokenProblems> {
        let file = self.path.display();
        let fresh = Tokens::read(&self.path)?;
        warn_of_others(&self.path);
        let before = self.tokens.load_full();
        if *before == fresh {
            return Ok(None);
        }
        if fresh.is_empty() {
            warn!(target: "steadfast", %file, "there is no token left: nobody can come in");
        }
        let changes = changes(&before, &fresh);
        self.tokens.store(Arc::new(fresh));
        let mut version = self.version.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *version).cancel();
        info!(target: "steadfast", %file, %changes, "other tokens hold now");
        Ok(Some(changes))
    }
}

fn changes(before: &Tokens, now: &Tokens) -> Value {
    let named = |all: &Tokens, name: &str| all.iter().find(|it| it.name() == name).cloned();
    let missing = |from: &Tokens, of: &Tokens| -> Vec<String> {
        let names = of.iter().map(Token::name).filter(|name| named(from, name).is_none());
        names.map(str::to_owned).collect()
    };
    let is_other = |token: &&Token| named(before, token.name()).is_some_and(|it| it != **token);
    let changed: Vec<&str> = now.iter().filter(is_other).map(Token::name).collect();
    json!({"added": missing(before, now), "removed": missing(now, before), "changed": changed})
}

/// Who can write the file can come in as anybody; who can read it learns the names.
#[cfg(unix)]
fn warn_of_others(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let Ok(metadata) = fs::metadata(path) else {
        return;
    };
    let mode = metadata.permissions().mode();
    if mode & 0o026 != 0 {
        let (file, mode) = (path.display(), mode & 0o777);
        warn!(target: "steadfast", %file, mode = %format_args!("{mode:o}"), "others can read or write the tokens file; `chmod 600` it");
    }
}

#[cfg(not(unix))]
fn warn_of_others(_: &Path) {}
