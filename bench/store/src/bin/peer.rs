//! The program of the built-in peers: `peer NAME ACTION [NUMBER…] [SETTING=VALUE…]`.
//!
//! The package `steadfast-bench-drive` defines the protocol.

use anyhow::{Result, bail};
use steadfast_bench_drive::Request;
use steadfast_bench_store::entry::Program;
use steadfast_bench_store::peers;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let names = || peers::all().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
    let Some((name, arguments)) = arguments.split_first() else {
        bail!("no peer named: expected one of {}", names());
    };
    let Some(entry) = peers::find(name) else {
        bail!("unknown peer `{name}`: expected one of {}", names());
    };
    let Program::Builtin(run) = entry.program else {
        bail!("{name} has its own program and cannot be run by `peer`");
    };
    run(Request::parse(arguments)?)
}
