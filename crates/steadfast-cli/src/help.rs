//! The sections at the end of a command's help: value formats, exit codes, examples.

use std::fmt::Write;

use clap::builder::StyledStr;

use crate::output::colour::HEADING;

/// A command line and its description.
pub(crate) type Example = (&'static str, &'static str);

/// A heading and its two-column lines.
pub(crate) type Section<'a> = (&'a str, &'a [(&'a str, &'a str)]);

/// Renders the sections, followed by the examples.
pub(crate) fn after_help(examples: &'static [Example], sections: &[Section<'_>]) -> StyledStr {
    let mut text = StyledStr::new();
    for (heading, lines) in sections {
        section(&mut text, heading, lines);
        let _ = text.write_str("\n\n");
    }
    section(&mut text, "Examples", examples);
    text
}

fn section(text: &mut StyledStr, heading: &str, lines: &[(&str, &str)]) {
    let longest = lines.iter().map(|(left, _)| left.len()).max().unwrap_or_default();
    let _ = write!(text, "{HEADING}{heading}:{HEADING:#}");
    for (left, right) in lines {
        let _ = write!(text, "\n  {left:longest$}  {right}");
    }
}
