//! One page: the command's help, in the parts that a manual has.
//!
//! What stands at the end of a help in two columns ([`help`](crate::help)) would be filled like
//! prose; here it becomes a section of its own, each line a tag and its text.

use std::io;

use clap::Command;
use clap_mangen::Man;
use roff::{Roff, bold, roman};

pub(super) fn page(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let man = Man::new(command.clone());
    man.render_title(&mut page)?;
    // What is to be typed is neither stretched nor broken.
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

/// `Heading:`, and below it lines of two columns.
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
            // More of the line above.
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
    fn two_columns_become_tags_and_texts() {
        let after = "Values:\n  A     first\n        more\n\nExamples:\n  steadfast a -b  does it";
        let command = Command::new("steadfast").after_help(after);
        let page = String::from_utf8(page(&command).unwrap()).unwrap();
        let values = ".SH VALUES\n.TP\n\\fBA\\fR\nfirst\n.br\nmore\n";
        let examples = ".SH EXAMPLES\n.TP\n\\fBsteadfast a \\-b\\fR\ndoes it\n";
        assert!(page.ends_with(&format!("{values}{examples}")), "{page}");
    }
}
