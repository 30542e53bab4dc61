//! Instructions, counted by callgrind.
//!
//! A case runs `N` times and `101 N` times, each in a process of its own. The
//! difference is `100 N` calls and nothing else: start, runtime and end are in
//! both. The count hardly varies, so it says more than time does on a machine
//! that is busy with other things. It hardly sees the clock, though: a read is
//! some 30 instructions and costs as much time as 100.

use std::path::Path;
use std::process::Command;

use crate::case::{Case, Row};
use crate::figures::Figures;
use crate::programs::{self, Error};

const N: u64 = 1000;

/// Measures every row.
pub fn all(rows: &[Row]) -> Result<Vec<Figures>, Error> {
    let program = programs::beside("instructions")?;
    let figures = |row: &Row| Figures::of(row, |case| cost(&program, row, case));
    rows.iter().map(figures).collect()
}

fn cost(program: &Path, row: &Row, case: &Case) -> Result<f64, Error> {
    let whole = per_call(program, [row.id, case.name, "program"])?;
    let twin = match case.twin {
        None => None,
        Some(_) => Some(per_call(program, [row.id, case.name, "twin"])?),
    };
    let cost = Case::cost(whole, twin);
    eprintln!("{cost:>8.1} instructions  {}, {}", row.id, case.name);
    Ok(cost)
}

fn per_call(program: &Path, what: [&str; 3]) -> Result<f64, Error> {
    let few = count(program, what, N)?;
    let many = count(program, what, 101 * N)?;
    Ok(many.saturating_sub(few) as f64 / (100 * N) as f64)
}

fn count(program: &Path, what: [&str; 3], n: u64) -> Result<u64, Error> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    valgrind.arg(program).args(what).arg(n.to_string());
    let output = programs::run(&mut valgrind)?;
    let log = String::from_utf8_lossy(&output.stderr);
    collected(&log).ok_or_else(|| format!("callgrind gave no count for {what:?}:\n{log}").into())
}

/// The count in callgrind's last words: `==123== Collected : 456`.
fn collected(log: &str) -> Option<u64> {
    let (_, count) = log.rsplit_once("Collected : ")?;
    count.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::collected;

    #[test]
    fn the_count_is_found_among_the_other_words() {
        let log =
            "==7== Events    : Ir\n==7== Collected : 123456\n==7== \n==7== I   refs: 123,456\n";
        assert_eq!(collected(log), Some(123_456));
        assert_eq!(collected("valgrind: no such file"), None);
    }
}
