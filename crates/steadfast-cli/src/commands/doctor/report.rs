//! All findings, one line each, and under each that is not well what to do.

use std::io::{self, Write};

use serde::Serialize;
use textwrap::{Options, WordSeparator, WordSplitter};

use super::finding::{Finding, Mark};
use crate::output::colour::{HEADING, LITERAL};
use crate::output::{Answer, counted, sanitize, width};

/// The widths of the first two columns, with the gaps after them.
const MARK: usize = 9;
const CHECK: usize = 14;

#[derive(Serialize)]
pub(super) struct Report {
    store: String,
    ok: bool,
    checks: Vec<Finding>,
}

impl Report {
    pub(super) fn new(store: String, checks: Vec<Finding>) -> Self {
        let ok = checks.iter().all(|finding| finding.mark < Mark::Problem);
        Self { store, ok, checks }
    }

    /// Whether nothing is worse than a warning.
    pub(super) const fn is_well(&self) -> bool {
        self.ok
    }

    fn summary(&self) -> String {
        let count = |mark| self.checks.iter().filter(|finding| finding.mark == mark).count();
        let counts = [
            (count(Mark::Problem), "problem", "problems"),
            (count(Mark::Warning), "warning", "warnings"),
            (count(Mark::Note), "note", "notes"),
            (count(Mark::Unknown), "check could not be made", "checks could not be made"),
        ];
        let told: Vec<String> = counts
            .into_iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, more)| counted(count, one, more))
            .collect();
        if told.is_empty() { "all is well".to_owned() } else { told.join(", ") }
    }
}

impl Answer for Report {
    fn tell(&self, page: &mut dyn Write) -> io::Result<()> {
        writeln!(page, "{HEADING}{}{HEADING:#}", sanitize::line(&self.store))?;
        self.checks.iter().try_for_each(|finding| tell(finding, page))?;
        writeln!(page, "{}", self.summary())
    }
}

fn tell(finding: &Finding, page: &mut dyn Write) -> io::Result<()> {
    let (mark, style) = (finding.mark.word(), finding.mark.style());
    write!(page, "{style}{mark:MARK$}{style:#}{:CHECK$}", finding.check)?;
    wrapped(page, &finding.found, "")?;
    let indent = " ".repeat(MARK + CHECK);
    for advice in &finding.next {
        write!(page, "{indent}")?;
        wrapped(page, &advice.say, "- ")?;
        for line in &advice.run {
            // For copying, so it is never broken.
            writeln!(page, "{indent}    {LITERAL}{}{LITERAL:#}", sanitize::line(line))?;
        }
    }
    Ok(())
}

/// A text in the third column, whose first line has its place already.
fn wrapped(page: &mut dyn Write, text: &str, bullet: &str) -> io::Result<()> {
    let column = width::of_text_on_stdout().saturating_sub(MARK + CHECK).max(30);
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
    lines.try_for_each(|line| writeln!(page, "{:1$}{line}", "", MARK + CHECK))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(report: &Report) -> String {
        let mut page = anstream::StripStream::new(Vec::new());
        report.tell(&mut page).unwrap();
        String::from_utf8(page.into_inner()).unwrap()
    }

    /// Section 10: each with what to do.
    #[test]
    fn a_finding_is_a_line_and_what_to_do_stands_under_it() {
        let locked = Finding::warning("lock", "somebody holds it\u{1b}[2J")
            .advise("see who it is:", ["ps -p 7"])
            .say("or wait");
        let report =
            Report::new("sqlite:x".to_owned(), vec![Finding::ok("file", "12 KiB"), locked]);
        assert_eq!(
            shown(&report),
            "sqlite:x\n\
             ok       file          12 KiB\n\
             warning  lock          somebody holds it?[2J\n\
             \x20                      - see who it is:\n\
             \x20                          ps -p 7\n\
             \x20                      - or wait\n\
             1 warning\n"
        );
        assert!(report.is_well());
    }

    #[test]
    fn one_problem_among_others_is_enough() {
        let checks = vec![Finding::problem("schema", "no"), Finding::note("x", "y")];
        let report = Report::new(String::new(), checks);
        assert!(!report.is_well());
        assert!(shown(&report).ends_with("1 problem, 1 note\n"));
    }
}
