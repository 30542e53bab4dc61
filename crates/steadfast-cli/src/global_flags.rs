//! `--store`, `--server` and token flags given before the subcommand.
//!
//! These flags belong to the subcommands that use a store, where help documents them. Scripts
//! often put them first, so they are accepted there and moved behind the subcommand.

use std::ffi::OsString;

use clap::CommandFactory;

use crate::cli::Cli;

/// Flags that select a store or server.
const TARGET_FLAGS: [&str; 4] = ["--store", "--server", "--token", "--token-file"];
/// Common options that take a value.
const FLAGS_WITH_VALUE: [&str; 4] = ["-c", "--config", "--color", "--secret"];

/// Returns the arguments with store and server flags moved behind the subcommand.
pub(crate) fn after_subcommand(arguments: Vec<OsString>) -> Vec<OsString> {
    let mut words = arguments.into_iter().peekable();
    let mut line: Vec<OsString> = words.next().into_iter().collect();
    let mut targets = Vec::new();
    while let Some(flag) = words.next_if(|word| word.to_string_lossy().starts_with('-')) {
        let text = flag.to_string_lossy();
        let name = text.split('=').next().unwrap_or_default();
        let (is_target, has_value) = (TARGET_FLAGS.contains(&name), text.contains('='));
        let wants_value = !has_value && (is_target || FLAGS_WITH_VALUE.contains(&name));
        let to = if is_target { &mut targets } else { &mut line };
        to.push(flag);
        to.extend(words.next_if(|_| wants_value));
    }
    if !targets.is_empty() {
        let mut tree = Cli::command();
        tree.build();
        let mut here = &tree;
        while let Some(command) = words.peek().and_then(|word| here.find_subcommand(word)) {
            here = command;
            line.extend(words.next());
        }
    }
    line.into_iter().chain(targets).chain(words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> String {
        let words = after_subcommand(text.split(' ').map(OsString::from).collect());
        words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    /// Section 10: `--store` and `--server` are accepted before every command.
    #[test]
    fn target_flag_before_subcommand_is_moved_behind_it() {
        for (given, expected) in [
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
            assert_eq!(line(given), expected);
        }
    }
}
