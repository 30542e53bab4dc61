//! Drives one peer: `peer NAME ACTION [NUMBER…] [SETTING=VALUE…]`, see the package
//! `steadfast-bench-drive`.

use anyhow::{Result, bail};
use steadfast_bench_drive::Request;
use steadfast_bench_store::entry::Program;
use steadfast_bench_store::peers;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let names = || peers::all().map(|entry| entry.name).collect::<Vec<_>>().join(", ");
    let Some((name, words)) = words.split_first() else {
        bail!("which peer? There is: {}", names());
    };
    let Some(entry) = peers::named(name) else {
        bail!("unknown peer `{name}`; the peers are {}", names());
    };
    let Program::Here(run) = entry.program else {
        bail!("another program drives {name}");
    };
    run(Request::read(words)?)
}
