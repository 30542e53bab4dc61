//! Table rows for narrow terminals: a heading line with the name, details below it. Names are
//! never broken, so that they can be copied.

use std::io::{self, Write};

use textwrap::{Options, WordSplitter};

use super::colour::HEADING;
use super::sanitize;

const INDENT: &str = "    ";

/// Writes a row no wider than `width`, without breaking words.
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
    fn details_wrap_below_name_without_breaking_words() {
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
