//! A minimal HTTP client for measurements.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use steadfast_bench::programs::Error;

/// Longer than anything takes that works.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection that is kept.
pub(crate) struct Kept {
    stream: BufReader<TcpStream>,
}

impl Kept {
    pub(crate) fn open(address: SocketAddr) -> Result<Self, Error> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// Sends a request and reads its answer to the end.
    pub(crate) fn ask(&mut self, request: &str) -> Result<(), Error> {
        self.stream.get_mut().write_all(request.as_bytes())?;
        let length = self.head()?;
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok(())
    }

    /// Reads the head of an answer; answers with the length of its body.
    fn head(&mut self) -> Result<usize, Error> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        if !line.starts_with("HTTP/1.1 2") && !line.starts_with("HTTP/1.1 303") {
            return Err(format!("it answered {line:?}").into());
        }
        let mut length = None;
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let field = line.trim_end().to_ascii_lowercase();
            if field.is_empty() {
                return length.ok_or_else(|| "an answer without a length".into());
            }
            if let Some(value) = field.strip_prefix("content-length: ") {
                length = Some(value.parse()?);
            }
        }
    }

    /// Asks for a stream, and reads the head of it only.
    pub(crate) fn follow(&mut self, path: &str) -> Result<(), Error> {
        self.stream.get_mut().write_all(get_request(path).as_bytes())?;
        let mut line = String::new();
        while line != "\r\n" {
            line.clear();
            if self.stream.read_line(&mut line)? == 0 {
                return Err("the stream ended".into());
            }
        }
        Ok(())
    }
}

/// How long a question takes, with a connection of its own.
pub(crate) fn get(address: SocketAddr, path: &str) -> Result<Duration, Error> {
    let began = Instant::now();
    Kept::open(address)?.ask(&get_request(path)).map_err(|error| format!("{path}: {error}"))?;
    Ok(began.elapsed())
}

fn get_request(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n")
}

/// A task as it is submitted.
pub(crate) fn submission() -> String {
    let body = r#"{"kind":"bill","payload":{"text":"invoice 42"},"run_at":"24h"}"#;
    format!(
        "POST /api/v1/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}
