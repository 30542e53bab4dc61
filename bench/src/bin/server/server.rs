//! The measured server process, on a free local port.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use steadfast_bench::programs::Error;

use crate::http;
use crate::store::url;

pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    /// From its start until it said that it is ready.
    pub(crate) took: Duration,
}

impl Server {
    pub(crate) fn start(cli: &Path, store: &Path) -> Result<Self, Error> {
        let began = Instant::now();
        let mut child = Command::new(cli)
            .args(["serve", "--no-worker", "--listen", "127.0.0.1:0", "--store"])
            .arg(url(store))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = String::new();
        let stdout = child.stdout.take().ok_or("no stdout")?;
        BufReader::new(stdout).read_line(&mut line)?;
        let address = line.split_whitespace().next().and_then(|url| url.strip_prefix("http://"));
        let address = address.ok_or_else(|| format!("it said {line:?}"))?.parse()?;
        http::get(address, "/readyz")?;
        Ok(Self { child, address, took: began.elapsed() })
    }

    /// Bytes of memory that it has.
    pub(crate) fn resident(&self) -> Result<u64, Error> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib: u64 =
            line.and_then(|line| line.split_whitespace().next()).ok_or("no VmRSS")?.parse()?;
        Ok(kib << 10)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
