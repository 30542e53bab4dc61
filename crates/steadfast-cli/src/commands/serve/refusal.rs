//! Why a server cannot serve, in the words of the command line: with the flag that mends it.

use std::io;
use std::net::SocketAddr;

use steadfast_server::ServeError;

use crate::commands::token::wrong_tokens;
use crate::problem::Problem;

pub(super) fn told(error: ServeError) -> Problem {
    match error {
        ServeError::Listen { address, source } => unheard(address, &source),
        ServeError::Public(address) => {
            let what = format!(
                "{address} can be reached from other machines, and without tokens anybody there \
                 may do everything"
            );
            Problem::configuration(what).with_next(
                "make a token with `steadfast token new --name ada --role admin --into \
                 tokens.toml` and ask for it with --tokens tokens.toml, or leave out --listen to \
                 be reached from this machine alone"
                    .to_owned(),
            )
        }
        ServeError::Tokens(problems) => wrong_tokens(&problems),
        other => Problem::configuration(other.to_string()),
    }
}

fn unheard(address: SocketAddr, source: &io::Error) -> Problem {
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
    Problem::failed(format!("cannot listen on {address}: {source}")).with_next(next)
}
