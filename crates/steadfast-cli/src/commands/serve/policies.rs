//! The policies of a server: those of the file, read again whenever it changes (F4).

use steadfast::registry::{Change, Loader};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::cli::Common;
use crate::config;
use crate::error::CliError;

/// What the registry is made of, and the changes of the file that are still to come.
pub(super) fn loader(common: &Common) -> Result<(Loader, UnboundedReceiver<Change>), CliError> {
    let (tell, changes) = unbounded_channel();
    let loader = match config::locate(common.config.as_deref())? {
        Some(file) => Loader::file(file),
        None => Loader::presets(),
    };
    // A server that is about to end does not listen any more.
    let loader = loader.on_change(move |change| {
        let _ = tell.send(change.clone());
    });
    Ok((loader, changes))
}
