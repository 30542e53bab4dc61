//! The measured server process.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use steadfast_bench::programs::Error;

use crate::http;
use crate::store::url;

/// A server on a free local port, killed when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    /// The time from the start of the process until it was ready.
    pub(crate) startup_time: Duration,
}

impl Server {
    pub(crate) fn start(cli: &Path, store: &Path) -> Result<Self, Error> {
        let start = Instant::now();
        let mut child = Command::new(cli)
            .args(["serve", "--no-worker", "--listen", "127.0.0.1:0", "--store"])
            .arg(url(store))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = String::new();
        let stdout = child.stdout.take().ok_or("the server has no stdout")?;
        BufReader::new(stdout).read_line(&mut line)?;
        let address = line.split_whitespace().find_map(|word| word.strip_prefix("http://"));
        let address = address
            .ok_or_else(|| format!("no address in the server's output {line:?}"))?
            .parse()?;
        http::get(address, "/readyz")?;
        Ok(Self { child, address, startup_time: start.elapsed() })
    }

    /// The resident memory in bytes.
    pub(crate) fn resident(&self) -> Result<u64, Error> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib: u64 = line
            .and_then(|line| line.split_whitespace().next())
            .ok_or("no VmRSS in /proc")?
            .parse()?;
        Ok(kib << 10)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
