//! A port of the loopback that nobody else is given.
//!
//! The usual way, to ask for any port, close it and hand its number to the server, lets
//! another program be given the same one in between, and again whenever the server is
//! restarted. So the port stays bound here for as long as the server needs it. Linux
//! lets the server bind it as well, as long as ours does not listen, and hands it to
//! nobody who asks for any.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};

use socket2::{Domain, Socket, Type};

/// A port, and on Linux the hold on it.
pub(crate) struct Port {
    number: u16,
    _hold: Option<Socket>,
}

impl Port {
    /// A free port.
    pub(crate) fn reserve() -> io::Result<Self> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        socket.set_reuse_address(true)?;
        socket.bind(&SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0).into())?;
        let address = socket.local_addr()?.as_socket().ok_or(io::ErrorKind::AddrNotAvailable)?;
        // Elsewhere the server could not bind what we hold.
        let hold = cfg!(target_os = "linux").then_some(socket);
        Ok(Self { number: address.port(), _hold: hold })
    }

    pub(crate) fn number(&self) -> u16 {
        self.number
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn a_server_can_be_reached_on_a_reserved_port() {
        let port = Port::reserve().unwrap();
        let address = (Ipv4Addr::LOCALHOST, port.number());
        let _server = TcpListener::bind(address).unwrap();
        TcpStream::connect(address).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_reserved_port_is_given_to_nobody_who_asks_for_any() {
        let ports: Vec<_> = (0..200).map(|_| Port::reserve().unwrap()).collect();
        let others: Vec<_> =
            (0..200).map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap()).collect();
        for other in others {
            let given = other.local_addr().unwrap().port();
            assert!(ports.iter().all(|port| port.number() != given), "{given}");
        }
    }
}
