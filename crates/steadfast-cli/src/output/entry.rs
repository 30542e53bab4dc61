//! What a table's row becomes where the table is too wide: a line with its name, and the rest
//! below it. Names are for copying, so they are never broken.

use std::io::{self, Write};

use textwrap::{Options, WordSplitter};

use super::colour::HEADING;
use super::sanitize;

const INDENT: &str = "    ";

/// Writes a row no wider than `width`, as far as its words allow it.
pub(crate) fn write(page: &mut dyn Write, width: u16, name: &str, rest: &str) -> io::Result<()> {
    let (name, rest) = (sanitize::line(name), sanitize::line(rest));
    writeln!(page, "{HEADING}{name}{HEADING:#}")?;
    let options = Options::new(usize::from(width))
        .initial_indent(INDENT)
        .subsequent_indent(INDENT)
        .break_words(false)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::wrap(&rest, options).iter().try_for_each(|line| writeln!(page, "{line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_stands_below_the_name_in_whole_words() {
        let mut page = anstream::StripStream::new(Vec::new());
        write(
            &mut page,
            20,
            "a_name_longer_than_the_page",
            "full-jitter and a_word_that_is_longer",
        )
        .unwrap();
        let lines = "a_name_longer_than_the_page\n    full-jitter and\n    a_word_that_is_longer\n";
        assert_eq!(String::from_utf8(page.into_inner()).unwrap(), lines);
    }
}
