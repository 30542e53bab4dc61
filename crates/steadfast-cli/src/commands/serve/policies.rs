//! The server's policies, reloaded when the file changes (F4).

use steadfast::registry::{Change, Loader};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::cli::Common;
use crate::config;
use crate::error::CliError;

/// The registry loader and a channel of future changes.
pub(super) fn loader(common: &Common) -> Result<(Loader, UnboundedReceiver<Change>), CliError> {
    let (sender, changes) = unbounded_channel();
    let loader = match config::locate(common.config.as_deref())? {
        Some(file) => Loader::file(file),
        None => Loader::presets(),
    };
    // The receiver is gone during shutdown.
    let loader = loader.on_change(move |change| {
        let _ = sender.send(change.clone());
    });
    Ok((loader, changes))
}
