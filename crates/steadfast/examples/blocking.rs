//! A blocking call without an async runtime.
//!
//! `cargo run --example blocking`

use std::net::{TcpListener, TcpStream};
use std::time::Duration;
use steadfast::{Policy, retry};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let policy = Policy::fixed(Duration::from_millis(100)).max_attempts(10).build()?;
    let stream = retry(&policy, || TcpStream::connect(address)).call()?;
    println!("connected to {}", stream.peer_addr()?);
    Ok(())
}
