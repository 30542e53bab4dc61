//! Reloading of the tokens file and the TLS certificate while the server runs.

pub(crate) mod file_watcher;

use std::sync::Arc;

use steadfast_store::{Actor, AuditEntry};

use crate::app::App;
use crate::http::tls::Tls;

/// Reloads tokens and certificate after each change of their files, until the server stops.
pub(crate) async fn watch_files(app: &App, tls: Option<Arc<Tls>>) {
    let tokens = async {
        if let Some(tokens) = app.auth().tokens() {
            let reloading = app.clone();
            tokens.watcher().on_change(app.stopping(), move || reload_tokens(&reloading)).await;
        }
    };
    let certificate = async {
        if let Some(tls) = tls {
            let watcher = tls.watcher();
            let reload = move || tls.reload().map_err(|error| error.to_string());
            watcher.on_change(app.stopping(), reload).await;
        }
    };
    tokio::join!(tokens, certificate);
}

fn reload_tokens(app: &App) -> Result<(), String> {
    let Some(tokens) = app.auth().tokens() else {
        return Ok(());
    };
    if let Some(changes) = tokens.reload().map_err(|problems| problems.to_string())? {
        let entry = AuditEntry::new(Actor::new("server"), "tokens.reload");
        app.audit().record(entry.detail(changes));
    }
    Ok(())
}
