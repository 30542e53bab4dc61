//! Terminal colours and the `--color` option.
//!
//! All text is written with colours; the streams strip them unless they lead to a terminal or
//! `--color always` is given.

use std::ffi::OsString;

use anstyle::{AnsiColor, Style};
use clap::ValueEnum;

pub(crate) const HEADING: Style = Style::new().bold();
pub(crate) const LITERAL: Style = AnsiColor::Cyan.on_default();
pub(crate) const DIM: Style = Style::new().dimmed();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// When colours are used. The comments are shown by shell completion.
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

/// Sets the colour choice before the command line is parsed, so that it also applies to help and
/// usage errors.
pub(crate) fn choose(arguments: &[OsString]) {
    match requested(arguments) {
        Colour::Auto => {}
        Colour::Always => anstream::ColorChoice::Always.write_global(),
        Colour::Never => anstream::ColorChoice::Never.write_global(),
    }
}

/// The value of `--color`; clap reports an invalid one later.
fn requested(arguments: &[OsString]) -> Colour {
    let mut arguments = arguments.iter().map_while(|argument| match argument.to_str() {
        Some("--") => None,
        text => Some(text.unwrap_or_default()),
    });
    let mut requested = Colour::default();
    while let Some(argument) = arguments.next() {
        let when = match argument.strip_prefix("--color") {
            Some("") => arguments.next(),
            Some(rest) => rest.strip_prefix('='),
            None => None,
        };
        requested = when.and_then(|when| Colour::from_str(when, false).ok()).unwrap_or(requested);
    }
    requested
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requested_by(line: &str) -> Colour {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        requested(&arguments)
    }

    /// Section 10: `--color` applies to help and errors, wherever it is given.
    #[test]
    fn color_flag_applies_before_parsing() {
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
            assert_eq!(requested_by(line), colour, "{line}");
        }
    }
}
