//! Reloading of the tokens file and the TLS certificate while the server runs.

pub(crate) mod file_watcher;

use std::sync::Arc;

use steadfast_store::{Actor, AuditEntry};

use crate::app::App;
use crate::http::tls::Tls;

/// Keeps tokens and certificate as their files say, until the server stops.
pub(crate) async fn kept_up(app: &App, tls: Option<Arc<Tls>>) {
    let tokens = async {
        if let Some(tokens) = app.auth().tokens() {
            let reading = app.clone();
            tokens.watched().each_change(app.stopping(), move || reload_tokens(&reading)).await;
        }
    };
    let certificate = async {
        if let Some(tls) = tls {
            let watched = tls.watched();
            let reload = move || tls.reload().map_err(|error| error.to_string());
            watched.each_change(app.stopping(), reload).await;
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
        app.journal().note(entry.detail(changes));
    }
    Ok(())
}
