//! A reserved port on the loopback interface.
//!
//! The usual way, to bind any port, close it and pass its number to the server, allows another program
//! to get the same port in between, and again whenever the server is restarted. So the port stays bound
//! here for as long as the server needs it. Linux lets the server bind it as well, as long as this
//! socket does not listen, and assigns it to no other program.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};

use socket2::{Domain, Socket, Type};

/// A port, and on Linux the socket that reserves it.
pub(crate) struct Port {
    number: u16,
    _reservation: Option<Socket>,
}

impl Port {
    /// A free port.
    pub(crate) fn reserve() -> io::Result<Self> {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        socket.set_reuse_address(true)?;
        socket.bind(&SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0).into())?;
        let address = socket.local_addr()?.as_socket().ok_or(io::ErrorKind::AddrNotAvailable)?;
        // On other systems the server could not bind a reserved port.
        let reservation = cfg!(target_os = "linux").then_some(socket);
        Ok(Self { number: address.port(), _reservation: reservation })
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
    fn server_on_a_reserved_port_is_reachable() {
        let port = Port::reserve().unwrap();
        let address = (Ipv4Addr::LOCALHOST, port.number());
        let _server = TcpListener::bind(address).unwrap();
        TcpStream::connect(address).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn reserved_port_is_not_assigned_again() {
        let ports: Vec<_> = (0..200).map(|_| Port::reserve().unwrap()).collect();
        let others: Vec<_> =
            (0..200).map(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap()).collect();
        for other in others {
            let given = other.local_addr().unwrap().port();
            assert!(ports.iter().all(|port| port.number() != given), "{given}");
        }
    }
}
