//! Colours, and when there are any.
//!
//! Everything is written with its colours; the streams take them out unless they lead to a
//! terminal or somebody insists. So only this file has to know when.

use std::ffi::OsString;

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;

pub(crate) const HEADING: Style = Style::new().bold();
pub(crate) const LITERAL: Style = AnsiColor::Cyan.on_default();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// When there are colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless the environment says otherwise.
    #[default]
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// Chooses for the whole program, before the command line is parsed: help and refusals have
/// colours, too.
pub(crate) fn choose(arguments: &[OsString]) {
    match asked(arguments) {
        Colour::Auto => {}
        Colour::Always => anstream::ColorChoice::Always.write_global(),
        Colour::Never => anstream::ColorChoice::Never.write_global(),
    }
}

/// What `--color` says. Whether it says it properly is for the parser to find out.
fn asked(arguments: &[OsString]) -> Colour {
    let mut arguments = arguments.iter().map_while(|argument| match argument.to_str() {
        Some("--") => None,
        text => Some(text.unwrap_or_default()),
    });
    let mut asked = Colour::default();
    while let Some(argument) = arguments.next() {
        let when = match argument.strip_prefix("--color") {
            Some("") => arguments.next(),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        };
        asked = when.and_then(|when| Colour::from_str(when, false).ok()).unwrap_or(asked);
    }
    asked
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked_by(line: &str) -> Colour {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        asked(&arguments)
    }

    /// Section 10: `--color` holds for help and refusals, wherever it stands.
    #[test]
    fn colours_are_chosen_before_the_line_is_parsed() {
        for (line, colour) in [
            ("steadfast", Colour::Auto),
            ("steadfast --color never --help", Colour::Never),
            ("steadfast nonsense --color=always", Colour::Always),
            ("steadfast --color always --color never", Colour::Never),
            ("steadfast --color sometimes", Colour::Auto),
            ("steadfast --colorful always", Colour::Auto),
            ("steadfast --color", Colour::Auto),
            ("steadfast run -- ls --color always", Colour::Auto),
        ] {
            assert_eq!(asked_by(line), colour, "{line}");
        }
    }
}
