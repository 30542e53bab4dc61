//! Instruction counts, measured with callgrind.
//!
//! A case runs `N` times and `101 N` times, each in a separate process. The difference is `100 N`
//! calls and nothing else: both runs include startup, the runtime and shutdown. The count hardly
//! varies, so it is more reliable than time on a busy machine. It underestimates clock reads: a
//! read takes about 30 instructions and as much time as 100.

use std::path::Path;
use std::process::Command;

use crate::case::{Case, Row};
use crate::programs::{self, Error};
use crate::results::RowResult;

/// The calls of the short run.
const N: u64 = 1000;

/// Measures all rows.
pub fn all(rows: &[Row]) -> Result<Vec<RowResult>, Error> {
    let program = programs::sibling("instructions")?;
    let measure = |row: &Row| RowResult::measure(row, |case| cost(&program, row, case));
    rows.iter().map(measure).collect()
}

fn cost(program: &Path, row: &Row, case: &Case) -> Result<f64, Error> {
    let total = per_call(program, [row.id, case.name, "program"])?;
    let baseline = match case.baseline {
        None => None,
        Some(_) => Some(per_call(program, [row.id, case.name, "baseline"])?),
    };
    let cost = Case::cost(total, baseline);
    eprintln!("{cost:>8.1} instructions  {}, {}", row.id, case.name);
    Ok(cost)
}

fn per_call(program: &Path, case: [&str; 3]) -> Result<f64, Error> {
    let few = count(program, case, N)?;
    let many = count(program, case, 101 * N)?;
    Ok(many.saturating_sub(few) as f64 / (100 * N) as f64)
}

fn count(program: &Path, case: [&str; 3], n: u64) -> Result<u64, Error> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    valgrind.arg(program).args(case).arg(n.to_string());
    let output = programs::run(&mut valgrind)?;
    let log = String::from_utf8_lossy(&output.stderr);
    collected(&log).ok_or_else(|| {
        format!("no instruction count in the output of callgrind for {case:?}:\n{log}").into()
    })
}

/// The count in the last lines of callgrind's output: `==123== Collected : 456`.
fn collected(log: &str) -> Option<u64> {
    let (_, count) = log.rsplit_once("Collected : ")?;
    count.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::collected;

    #[test]
    fn count_is_parsed_from_the_callgrind_output() {
        let log =
            "==7== Events    : Ir\n==7== Collected : 123456\n==7== \n==7== I   refs: 123,456\n";
        assert_eq!(collected(log), Some(123_456));
        assert_eq!(collected("valgrind: no such file"), None);
    }
}
