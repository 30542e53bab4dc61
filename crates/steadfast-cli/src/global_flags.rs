//! `--store`, `--server` and the token, said before the command.
//!
//! They are flags of the commands that ask a store, which is where help explains them and where
//! others refuse them. But whoever names a place for a whole script writes it first, so there it
//! is taken as well: it is moved behind the words of the command.

use std::ffi::OsString;

use clap::CommandFactory;

use crate::cli::Cli;

/// Flags that name a place.
const PLACES: [&str; 4] = ["--store", "--server", "--token", "--token-file"];
/// Flags of all commands that have a value.
const WITH_VALUE: [&str; 4] = ["-c", "--config", "--color", "--secret"];

/// The same line, with what names a place where the command takes it.
pub(crate) fn moved(arguments: Vec<OsString>) -> Vec<OsString> {
    let mut words = arguments.into_iter().peekable();
    let mut line: Vec<OsString> = words.next().into_iter().collect();
    let mut places = Vec::new();
    while let Some(flag) = words.next_if(|word| word.to_string_lossy().starts_with('-')) {
        let text = flag.to_string_lossy();
        let name = text.split('=').next().unwrap_or_default();
        let (is_place, has_value) = (PLACES.contains(&name), text.contains('='));
        let wants_value = !has_value && (is_place || WITH_VALUE.contains(&name));
        let to = if is_place { &mut places } else { &mut line };
        to.push(flag);
        to.extend(words.next_if(|_| wants_value));
    }
    if !places.is_empty() {
        let mut tree = Cli::command();
        tree.build();
        let mut here = &tree;
        while let Some(command) = words.peek().and_then(|word| here.find_subcommand(word)) {
            here = command;
            line.extend(words.next());
        }
    }
    line.into_iter().chain(places).chain(words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> String {
        let words = moved(text.split(' ').map(OsString::from).collect());
        words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    /// Section 10: store and server are named once for all commands.
    #[test]
    fn a_place_before_the_command_is_one_behind_it() {
        for (said, meant) in [
            ("steadfast --store sqlite:a.db stats", "steadfast stats --store sqlite:a.db"),
            (
                "steadfast --server=http://a --token t --json tasks list --limit 3",
                "steadfast --json tasks list --server=http://a --token t --limit 3",
            ),
            (
                "steadfast -c a.yaml --store b submit command -- rm --store c",
                "steadfast -c a.yaml submit command --store b -- rm --store c",
            ),
            ("steadfast --secret pin --store a stats", "steadfast --secret pin stats --store a"),
            ("steadfast run -- cp --store a", "steadfast run -- cp --store a"),
            ("steadfast --store", "steadfast --store"),
            ("steadfast --stroe a stats", "steadfast --stroe a stats"),
        ] {
            assert_eq!(line(said), meant);
        }
    }
}
