//! Markdown tables.

use std::fmt::Write;

/// A Markdown table.
pub fn table<const N: usize>(head: &[&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let mut table = String::new();
    let mut line = |cells: &[String]| _ = writeln!(table, "| {} |", cells.join(" | "));
    line(&head.map(str::to_owned));
    line(&[const { "---" }; N].map(str::to_owned));
    rows.for_each(|row| line(&row));
    table
}

/// The content of an empty cell.
pub const DASH: &str = "–";

/// A measured value with its unit removed, and the goal it may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// The value.
    pub value: f64,
    /// The maximum for this library.
    pub goal: Option<f64>,
}

impl Measured {
    /// The cell of a table: the value and, where there is a goal, whether it is met.
    pub fn cell(self, decimals: usize) -> String {
        let Measured { value, goal } = self;
        match goal {
            None => format!("{value:.decimals$}"),
            Some(goal) if value <= goal => format!("{value:.decimals$} (≤ {goal})"),
            Some(goal) => format!("**{value:.decimals$}** (≤ {goal})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_has_a_line_per_row() {
        let rows = [["x".to_owned(), "1".to_owned()]];
        assert_eq!(table(&["a", "b"], rows.into_iter()), "| a | b |\n| --- | --- |\n| x | 1 |\n");
    }

    #[test]
    fn missed_goal_is_bold() {
        let cell = |value, goal| Measured { value, goal }.cell(1);
        assert_eq!(cell(2.34, None), "2.3");
        assert_eq!(cell(2.0, Some(2.5)), "2.0 (≤ 2.5)");
        assert_eq!(cell(2.6, Some(2.5)), "**2.6** (≤ 2.5)");
    }
}
