//! The report: tables in Markdown.

use std::fmt::Write;

use crate::figures::{Figure, Figures};

/// Instructions, with the verdict on each row.
pub fn instructions(rows: &[Figures]) -> String {
    let head =
        ["instructions", "bare", "ours", "best peer", "ours / best", "reach", "reached", "others"];
    table(
        &head,
        rows.iter().map(|row| {
            let reached = match row.reached() {
                None => NOTHING,
                Some(true) => "yes",
                Some(false) => "**no**",
            };
            let [title, bare, ours, best, ratio, others] = common(row, count);
            [
                title,
                bare,
                ours,
                best,
                ratio,
                format!("≤ {}", count(row.reach)),
                reached.to_owned(),
                others,
            ]
        }),
    )
}

/// Wall clock.
pub fn wall(rows: &[Figures]) -> String {
    let head = ["nanoseconds", "bare", "ours", "fastest peer", "ours / fastest", "others"];
    table(&head, rows.iter().map(|row| common(row, time)))
}

/// A table.
pub fn table<const N: usize>(head: &[&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let mut table = String::new();
    let mut line = |cells: &[String]| _ = writeln!(table, "| {} |", cells.join(" | "));
    line(&head.map(str::to_owned));
    line(&[const { "---" }; N].map(str::to_owned));
    rows.for_each(|row| line(&row));
    table
}

const NOTHING: &str = "–";

fn common(row: &Figures, number: fn(f64) -> String) -> [String; 6] {
    let named = |figure: &Figure| format!("{} {}", figure.name, number(figure.cost));
    [
        row.title.to_owned(),
        row.bare.map_or_else(nothing, number),
        ours(&row.ours, number),
        row.best.as_ref().map_or_else(nothing, named),
        row.ratio().map_or_else(nothing, |ratio| format!("{ratio:.2}")),
        or_nothing(row.others.iter().map(named).collect::<Vec<_>>().join(", ")),
    ]
}

/// The judged one without its name, for the column says it.
fn ours(figures: &[Figure], number: fn(f64) -> String) -> String {
    let Some((judged, others)) = figures.split_first() else {
        return nothing();
    };
    let others = others.iter().map(|f| format!(", {} {}", f.name, number(f.cost)));
    number(judged.cost) + &others.collect::<String>()
}

fn nothing() -> String {
    NOTHING.to_owned()
}

fn or_nothing(text: String) -> String {
    if text.is_empty() { nothing() } else { text }
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

    fn figure(name: &'static str, cost: f64) -> Figure {
        Figure { name, cost }
    }

    fn row() -> Figures {
        Figures {
            title: "a row",
            bare: Some(8.003),
            ours: vec![figure("steadfast", 21.0), figure("macro", 22.26)],
            best: Some(figure("x", 42.0)),
            others: vec![figure("y", 50.0), figure("z", 60.0)],
            reach: 24.0,
        }
    }

    #[test]
    fn a_row_tells_all_of_it() {
        let table = instructions(&[row()]);
        let last = table.lines().last().unwrap();
        assert_eq!(last, "| a row | 8 | 21, macro 22.3 | x 42 | 0.50 | ≤ 24 | yes | y 50, z 60 |");
    }

    #[test]
    fn what_is_not_there_is_a_dash() {
        let row = Figures { bare: None, ours: vec![], best: None, others: vec![], ..row() };
        let table = wall(&[row]);
        assert_eq!(table.lines().last().unwrap(), "| a row | – | – | – | – | – |");
    }
}
