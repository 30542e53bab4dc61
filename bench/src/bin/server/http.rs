//! A minimal HTTP/1.1 client.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use steadfast_bench::programs::Error;

/// Longer than any response takes.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// A keep-alive connection.
pub(crate) struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Result<Self, Error> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(READ_TIMEOUT))?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// Sends a request and reads the whole response.
    pub(crate) fn send(&mut self, request: &str) -> Result<(), Error> {
        self.stream.get_mut().write_all(request.as_bytes())?;
        let length = self.read_head()?;
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok(())
    }

    /// Reads the head of a response and returns the length of the body.
    fn read_head(&mut self) -> Result<usize, Error> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        if !line.starts_with("HTTP/1.1 2") && !line.starts_with("HTTP/1.1 303") {
            return Err(format!("unexpected status line {line:?}").into());
        }
        let mut length = None;
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let field = line.trim_end().to_ascii_lowercase();
            if field.is_empty() {
                return length.ok_or_else(|| "response without Content-Length".into());
            }
            if let Some(value) = field.strip_prefix("content-length: ") {
                length = Some(value.parse()?);
            }
        }
    }

    /// Requests an event stream and reads only the head of the response.
    pub(crate) fn open_stream(&mut self, path: &str) -> Result<(), Error> {
        self.stream.get_mut().write_all(get_request(path).as_bytes())?;
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err("the stream ended before its head".into());
            }
        }
        Ok(())
    }
}

/// The duration of a GET request, the connect included.
pub(crate) fn get(address: SocketAddr, path: &str) -> Result<Duration, Error> {
    let start = Instant::now();
    Connection::open(address)?
        .send(&get_request(path))
        .map_err(|error| format!("{path}: {error}"))?;
    Ok(start.elapsed())
}

fn get_request(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n")
}

/// The request that submits a task.
pub(crate) fn submit_request() -> String {
    let body = r#"{"kind":"bill","payload":{"text":"invoice 42"},"run_at":"24h"}"#;
    format!(
        "POST /api/v1/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}
