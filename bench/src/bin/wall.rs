//! A wall-clock table of every row.

use steadfast_bench::case::Row;
use steadfast_bench::cases::ROWS;
use steadfast_bench::figures::Figures;
use steadfast_bench::{report, wall};

fn main() {
    let rows: Vec<Figures> = ROWS.iter().map(measure).collect();
    print!("{}", report::wall(&rows));
}

fn measure(row: &Row) -> Figures {
    eprintln!("         wall clock    {}", row.id);
    wall::row(row)
}
