//! Server errors with the flag that fixes them.

use std::io;
use std::net::SocketAddr;

use steadfast_server::ServeError;

use crate::commands::token::tokens_file_error;
use crate::error::CliError;

pub(super) fn to_cli_error(error: ServeError) -> CliError {
    match error {
        ServeError::Listen { address, source } => listen_error(address, &source),
        ServeError::Public(address) => {
            let what = format!(
                "{address} is reachable from other machines: without tokens, any client could change \
                 tasks"
            );
            CliError::configuration(what).with_help(
                "create a token with `steadfast token new --name ada --role admin --into tokens.toml` and \
                 pass --tokens tokens.toml, or omit --listen to listen on this machine only",
            )
        }
        ServeError::Tokens(problems) => tokens_file_error(&problems),
        other => CliError::configuration(other.to_string()),
    }
}

fn listen_error(address: SocketAddr, source: &io::Error) -> CliError {
    let next = match source.kind() {
        io::ErrorKind::AddrInUse => format!(
            "stop the process that listens there (`ss -ltnp 'sport = :{}'` shows it), or choose another port \
             with --listen 127.0.0.1:PORT; port 0 picks a free one",
            address.port()
        ),
        io::ErrorKind::PermissionDenied => {
            "ports below 1024 need privileges: choose another with --listen 127.0.0.1:PORT"
                .to_owned()
        }
        _ => "choose an address of this machine with --listen".to_owned(),
    };
    CliError::failed(format!("cannot listen on {address}: {source}")).with_help(next)
}
