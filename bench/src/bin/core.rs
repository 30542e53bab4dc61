//! The core report: instructions, wall-clock time, memory, compile time and size of this library
//! and its peers.
//!
//! With `--quick`, only the instructions of this library.

use std::process::{Command, Stdio};

use steadfast_bench::case::Row;
use steadfast_bench::cases::ROWS;
use steadfast_bench::programs::{self, Error};
use steadfast_bench::{instructions, machine, report};

fn main() -> Result<(), Error> {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let rows: Vec<Row> = match quick {
        true => ROWS.iter().map(|row| row.without_peers()).collect(),
        false => ROWS.to_vec(),
    };
    let instructions = report::instructions(&instructions::all(&rows)?);
    if quick {
        print!("{instructions}");
        return Ok(());
    }
    let wall = output_of("wall")?;
    let memory = output_of("memory")?;
    let builds = output_of("builds")?;
    print!("{instructions}\n{wall}\n{memory}\n{builds}\n{}\n", machine::description());
    Ok(())
}

/// The output of another program of this package.
fn output_of(program: &str) -> Result<String, Error> {
    let program = programs::sibling(program)?;
    let output = programs::run(Command::new(program).stderr(Stdio::inherit()))?;
    Ok(String::from_utf8(output.stdout)?)
}
