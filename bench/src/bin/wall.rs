//! The wall-clock table of all rows.

use steadfast_bench::case::Row;
use steadfast_bench::cases::ROWS;
use steadfast_bench::results::RowResult;
use steadfast_bench::{report, wall};

fn main() {
    let rows: Vec<RowResult> = ROWS.iter().map(measure).collect();
    print!("{}", report::wall(&rows));
}

fn measure(row: &Row) -> RowResult {
    eprintln!("         wall clock    {}", row.id);
    wall::row(row)
}
