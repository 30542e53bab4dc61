//! One man page, generated from a command's help.
//!
//! The two-column sections at the end of a help ([`help`](crate::help)) would be reflowed as
//! prose; here each becomes a section with tagged lines.

use std::io;

use clap::Command;
use clap_mangen::Man;
use roff::{Roff, bold, roman};

pub(super) fn page(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let man = Man::new(command.clone());
    man.render_title(&mut page)?;
    // No justification or hyphenation, so that commands can be copied.
    Roff::default().control("ad", ["l"]).control("nh", []).to_writer(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let after = command.get_after_long_help().or_else(|| command.get_after_help());
    if let Some(after) = after {
        let mut sections = Roff::default();
        after.to_string().split("\n\n").for_each(|text| section(&mut sections, text));
        sections.to_writer(&mut page)?;
    }
    Ok(page)
}

/// Converts `Heading:` and its two-column lines.
fn section(page: &mut Roff, text: &str) {
    let mut lines = text.lines();
    let heading = lines.next().unwrap_or_default().trim_end_matches(':');
    page.control("SH", [heading.to_uppercase().as_str()]);
    for line in lines {
        match line.trim().split_once("  ") {
            Some((left, right)) if !line.starts_with("   ") => {
                page.control("TP", []);
                page.text([bold(left)]);
                page.text([roman(right.trim())]);
            }
            // Continuation of the line above.
            _ => {
                page.control("br", []);
                page.text([roman(line.trim())]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_column_section_becomes_tagged_lines() {
        let after = "Values:\n  A     first\n        more\n\nExamples:\n  steadfast a -b  does it";
        let command = Command::new("steadfast").after_help(after);
        let page = String::from_utf8(page(&command).unwrap()).unwrap();
        let values = ".SH VALUES\n.TP\n\\fBA\\fR\nfirst\n.br\nmore\n";
        let examples = ".SH EXAMPLES\n.TP\n\\fBsteadfast a \\-b\\fR\ndoes it\n";
        assert!(page.ends_with(&format!("{values}{examples}")), "{page}");
    }
}
