//! The files that are read again while the server runs.

use steadfast_store::{AuditEntry, By};

use crate::app::App;
use crate::tls::Tls;

/// Keeps tokens and certificate as their files say, until the server stops.
pub(crate) async fn kept_up(app: &App, tls: Option<&Tls>) {
    let tokens = async {
        if let Some(tokens) = app.auth().tokens() {
            let reload = || {
                if let Some(changes) = tokens.reload().map_err(|problems| problems.to_string())? {
                    let entry = AuditEntry::new(By::new("server"), "tokens.reload");
                    app.journal().note(entry.detail(changes));
                }
                Ok(())
            };
            tokens.watched().each_change(app.stopping(), reload).await;
        }
    };
    let certificate = async {
        if let Some(tls) = tls {
            let reload = || tls.reload().map_err(|error| error.to_string());
            tls.watched().each_change(app.stopping(), reload).await;
        }
    };
    tokio::join!(tokens, certificate);
}
