//! One case, run a given number of times, for callgrind.
//!
//! Without arguments, lists the cases.

use steadfast_bench::case::Program;
use steadfast_bench::cases::ROWS;
use steadfast_bench::programs::Error;

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [row, case, part, n] = arguments.as_slice() else {
        list();
        return Ok(());
    };
    let program = find(row, case, part).ok_or("no such case; run without arguments for a list")?;
    program(n.parse()?);
    Ok(())
}

fn find(row: &str, case: &str, part: &str) -> Option<Program> {
    let row = ROWS.iter().find(|known| known.id == row)?;
    let case = row.cases().find(|known| known.name == case)?;
    match part {
        "program" => Some(case.program),
        "baseline" => case.baseline,
        _ => None,
    }
}

fn list() {
    println!("Usage: instructions <row> <case> <program or baseline> <n>\n");
    for row in ROWS {
        for case in row.cases() {
            let parts = if case.baseline.is_some() { "program, baseline" } else { "program" };
            println!("{:<18} {:<26} {parts}", row.id, case.name);
        }
    }
}
