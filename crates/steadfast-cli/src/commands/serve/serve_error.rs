//! Why a server cannot serve, in the words of the command line: with the flag that mends it.

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
                "{address} can be reached from other machines, and without tokens anybody there \
                 may do everything"
            );
            CliError::configuration(what).with_help(
                "make a token with `steadfast token new --name ada --role admin --into \
                 tokens.toml` and ask for it with --tokens tokens.toml, or leave out --listen to \
                 be reached from this machine alone"
                    .to_owned(),
            )
        }
        ServeError::Tokens(problems) => tokens_file_error(&problems),
        other => CliError::configuration(other.to_string()),
    }
}

fn listen_error(address: SocketAddr, source: &io::Error) -> CliError {
    let next = match source.kind() {
        io::ErrorKind::AddrInUse => format!(
            "end what listens there (`ss -ltnp 'sport = :{}'` shows it), or choose another port \
             with --listen 127.0.0.1:PORT; port 0 takes a free one",
            address.port()
        ),
        io::ErrorKind::PermissionDenied => {
            "low ports are for the system: choose another with --listen 127.0.0.1:PORT".to_owned()
        }
        _ => "choose an address of this machine with --listen".to_owned(),
    };
    CliError::failed(format!("cannot listen on {address}: {source}")).with_help(next)
}
