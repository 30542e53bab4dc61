//! The Markdown tables of the report.

use steadfast_bench_builds::table::DASH;
pub use steadfast_bench_builds::table::table;

use crate::results::{CaseResult, RowResult};

/// The table of instructions, with the goal of each row.
pub fn instructions(rows: &[RowResult]) -> String {
    let head = [
        "instructions",
        "bare",
        "steadfast",
        "best peer",
        "steadfast / best",
        "goal",
        "met",
        "others",
    ];
    table(
        &head,
        rows.iter().map(|row| {
            let met = match row.meets_goal() {
                None => DASH,
                Some(true) => "yes",
                Some(false) => "**no**",
            };
            let [title, bare, steadfast, best_peer, ratio, others] = common_cells(row, count);
            [
                title,
                bare,
                steadfast,
                best_peer,
                ratio,
                format!("≤ {}", count(row.goal)),
                met.to_owned(),
                others,
            ]
        }),
    )
}

/// The table of wall-clock times.
pub fn wall(rows: &[RowResult]) -> String {
    let head =
        ["nanoseconds", "bare", "steadfast", "fastest peer", "steadfast / fastest", "others"];
    table(&head, rows.iter().map(|row| common_cells(row, time)))
}

/// The cells that both tables have.
fn common_cells(row: &RowResult, number: fn(f64) -> String) -> [String; 6] {
    let named = |case: &CaseResult| format!("{} {}", case.name, number(case.cost));
    [
        row.title.to_owned(),
        row.bare.map_or_else(dash, number),
        steadfast(&row.steadfast, number),
        row.best_peer.as_ref().map_or_else(dash, named),
        row.ratio().map_or_else(dash, |ratio| format!("{ratio:.2}")),
        or_dash(row.others.iter().map(named).collect::<Vec<_>>().join(", ")),
    ]
}

/// The first case without its name, which is the title of the column, and the others with theirs.
fn steadfast(cases: &[CaseResult], number: fn(f64) -> String) -> String {
    let Some((first, others)) = cases.split_first() else {
        return dash();
    };
    let others = others.iter().map(|case| format!(", {} {}", case.name, number(case.cost)));
    number(first.cost) + &others.collect::<String>()
}

fn dash() -> String {
    DASH.to_owned()
}

fn or_dash(text: String) -> String {
    if text.is_empty() { dash() } else { text }
}

fn count(instructions: f64) -> String {
    let tenths = (instructions * 10.0).round() / 10.0;
    tenths.to_string()
}

fn time(nanoseconds: f64) -> String {
    format!("{nanoseconds:.1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(name: &'static str, cost: f64) -> CaseResult {
        CaseResult { name, cost }
    }

    fn row() -> RowResult {
        RowResult {
            title: "a row",
            bare: Some(8.003),
            steadfast: vec![case("steadfast", 21.0), case("macro", 22.26)],
            best_peer: Some(case("x", 42.0)),
            others: vec![case("y", 50.0), case("z", 60.0)],
            goal: 24.0,
        }
    }

    #[test]
    fn instructions_row_has_all_costs_and_the_goal() {
        let table = instructions(&[row()]);
        let last = table.lines().last().unwrap();
        assert_eq!(last, "| a row | 8 | 21, macro 22.3 | x 42 | 0.50 | ≤ 24 | yes | y 50, z 60 |");
    }

    #[test]
    fn missing_value_is_a_dash() {
        let row =
            RowResult { bare: None, steadfast: vec![], best_peer: None, others: vec![], ..row() };
        let table = wall(&[row]);
        assert_eq!(table.lines().last().unwrap(), "| a row | – | – | – | – | – |");
    }
}
