//! The core report: instructions, wall-clock time and memory of this library and its peers. With
//! `--quick`: instructions of this library only.

use std::process::{Command, Stdio};

use steadfast_bench::case::Row;
use steadfast_bench::cases::ROWS;
use steadfast_bench::programs::{self, Error};
use steadfast_bench::{instructions, machine, report};

fn main() -> Result<(), Error> {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let rows: Vec<Row> = match quick {
        true => ROWS.iter().map(|row| row.alone()).collect(),
        false => ROWS.to_vec(),
    };
    let counted = report::instructions(&instructions::all(&rows)?);
    if quick {
        print!("{counted}");
        return Ok(());
    }
    let wall = table_by("wall")?;
    let memory = table_by("memory")?;
    print!("{counted}\n{wall}\n{memory}\n{}\n", machine::description());
    Ok(())
}

/// What another program of this package prints.
fn table_by(program: &str) -> Result<String, Error> {
    let program = programs::beside(program)?;
    let output = programs::run(Command::new(program).stderr(Stdio::inherit()))?;
    Ok(String::from_utf8(output.stdout)?)
}
