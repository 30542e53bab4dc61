//! Markdown tables and number formats.

use std::fmt::Write;

/// A Markdown table.
pub fn table<const N: usize>(head: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let mut table = String::new();
    let mut line = |cells: &[String]| _ = writeln!(table, "| {} |", cells.join(" | "));
    line(&head.map(str::to_owned));
    line(&[const { "---" }; N].map(str::to_owned));
    rows.for_each(|row| line(&row));
    table
}

/// A number with `decimals` digits and spaces between thousands; a dash if it is not finite.
pub fn number(number: f64, decimals: usize) -> String {
    if !number.is_finite() {
        return "–".to_owned();
    }
    let text = format!("{number:.decimals$}");
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let (sign, digits) = whole.split_at(whole.len() - whole.trim_start_matches('-').len());
    let digits: Vec<char> = digits.chars().collect();
    let groups = digits.rchunks(3).rev().map(|group| group.iter().collect::<String>());
    format!("{sign}{}{fraction}", groups.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_has_a_head_and_rows() {
        let rows = [["raw", "1"], ["x", "2"]].map(|row| row.map(str::to_owned));
        let table = table(["name", "count"], rows.into_iter());
        assert_eq!(table, "| name | count |\n| --- | --- |\n| raw | 1 |\n| x | 2 |\n");
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!(number(45_123.4, 0), "45 123");
        assert_eq!(number(1_000_000.0, 0), "1 000 000");
        assert_eq!(number(999.96, 1), "1 000.0");
        assert_eq!(number(-1234.5, 1), "-1 234.5");
        assert_eq!(number(0.0006, 4), "0.0006");
        assert_eq!(number(f64::NAN, 1), "–");
    }
}
