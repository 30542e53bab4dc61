//! The report: one line per finding, with advice below.

use textwrap::{Options, WordSeparator, WordSplitter};

use super::finding::{Finding, Level};
use crate::commands::prelude::*;
use crate::output::colour::{HEADING, LITERAL};
use crate::output::{sanitize, width};

/// Widths of the first two columns, including the gap.
const LEVEL_COLUMNS: usize = 9;
const CHECK_COLUMNS: usize = 14;

#[derive(Serialize)]
pub(super) struct Report {
    store: String,
    ok: bool,
    checks: Vec<Finding>,
}

impl Report {
    pub(super) fn new(store: String, checks: Vec<Finding>) -> Self {
        let ok = checks.iter().all(|finding| finding.verdict.level < Level::Problem);
        Self { store, ok, checks }
    }

    pub(super) const fn is_healthy(&self) -> bool {
        self.ok
    }

    fn summary(&self) -> String {
        let count =
            |level| self.checks.iter().filter(|finding| finding.verdict.level == level).count();
        let counts = [
            (count(Level::Problem), "problem", "problems"),
            (count(Level::Warning), "warning", "warnings"),
            (count(Level::Note), "note", "notes"),
            (count(Level::Unknown), "check not possible", "checks not possible"),
        ];
        let texts: Vec<String> = counts
            .into_iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, more)| counted(count, one, more))
            .collect();
        if texts.is_empty() { "no problems found".to_owned() } else { texts.join(", ") }
    }
}

impl Printable for Report {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        writeln!(page, "{HEADING}{}{HEADING:#}", sanitize::line(&self.store))?;
        self.checks.iter().try_for_each(|finding| write_finding(finding, page))?;
        writeln!(page, "{}", self.summary())
    }
}

fn write_finding(finding: &Finding, page: &mut dyn Write) -> io::Result<()> {
    let Finding { check, verdict } = finding;
    let (level, style) = (verdict.level.name(), verdict.level.style());
    write!(page, "{style}{level:LEVEL_COLUMNS$}{style:#}{check:CHECK_COLUMNS$}")?;
    wrapped(page, &verdict.found, "")?;
    let indent = " ".repeat(LEVEL_COLUMNS + CHECK_COLUMNS);
    for advice in &verdict.next {
        write!(page, "{indent}")?;
        wrapped(page, &advice.say, "- ")?;
        for line in &advice.run {
            // Never wrapped, so that it can be copied.
            writeln!(page, "{indent}    {LITERAL}{}{LITERAL:#}", sanitize::line(line))?;
        }
    }
    Ok(())
}

/// Wraps text in the third column, after the first two have been written.
fn wrapped(page: &mut dyn Write, text: &str, bullet: &str) -> io::Result<()> {
    let column = width::of_text_on_stdout().saturating_sub(LEVEL_COLUMNS + CHECK_COLUMNS).max(30);
    let below = " ".repeat(bullet.len());
    let options = Options::new(column)
        .initial_indent(bullet)
        .subsequent_indent(&below)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation);
    let text = sanitize::line(text);
    let mut lines = textwrap::wrap(&text, options).into_iter();
    writeln!(page, "{}", lines.next().unwrap_or_default())?;
    lines.try_for_each(|line| writeln!(page, "{:1$}{line}", "", LEVEL_COLUMNS + CHECK_COLUMNS))
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    fn shown(report: &Report) -> String {
        let mut page = anstream::StripStream::new(Vec::new());
        report.write_text(&mut page).unwrap();
        String::from_utf8(page.into_inner()).unwrap()
    }

    /// Section 10: findings have advice.
    #[test]
    fn finding_is_followed_by_its_advice() {
        let locked = Verdict::warning("held by another process\u{1b}[2J")
            .advise("find it:", ["ps -p 7"])
            .say("or wait");
        let report = Report::new(
            "sqlite:x".to_owned(),
            vec![Finding::new("file", Verdict::ok("12 KiB")), Finding::new("lock", locked)],
        );
        assert_eq!(
            shown(&report),
            "sqlite:x\n\
             ok       file          12 KiB\n\
             warning  lock          held by another process?[2J\n\
             \x20                      - find it:\n\
             \x20                          ps -p 7\n\
             \x20                      - or wait\n\
             1 warning\n"
        );
        assert!(report.is_healthy());
    }

    #[test]
    fn report_with_one_problem_is_unhealthy() {
        let checks = [("schema", Verdict::problem("no")), ("x", Verdict::note("y"))]
            .map(|(check, verdict)| Finding::new(check, verdict))
            .to_vec();
        let report = Report::new(String::new(), checks);
        assert!(!report.is_healthy());
        assert!(shown(&report).ends_with("1 problem, 1 note\n"));
    }
}
