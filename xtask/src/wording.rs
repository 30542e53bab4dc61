//! The wording check: words that readers of this project should not meet.
//!
//! Names and texts follow `docs/glossary.md`. The check reads the tracked text files of the
//! repository, the names of files included, and reports each listed word with the one to use
//! instead. The list is short on purpose: it holds the words that have come back before.

use std::fs;
use std::path::Path;

use crate::paths;
use crate::run::{Failure, Run};

/// A word or phrase to avoid, in lower case, and what to write instead.
struct Entry {
    phrase: &'static str,
    instead: &'static str,
}

const fn entry(phrase: &'static str, instead: &'static str) -> Entry {
    Entry { phrase, instead }
}

const ENTRIES: &[Entry] = &[
    entry("whoever", "the thing that acts: the caller, the client, the worker"),
    entry("whomever", "the thing that acts: the caller, the client, the worker"),
    entry("nobody", "the thing that is missing: `no worker`, `no client`, `no rows`"),
    entry("somebody", "the thing that acts: the user, the caller, another process"),
    entry("anybody", "the thing that acts: a caller, any client"),
    entry("deed", "action"),
    entry("deeds", "actions"),
    entry("dear", "expensive"),
    entry("dearer", "more expensive"),
    entry("seize", "reclaim"),
    entry("seized", "reclaimed"),
    entry("seizes", "reclaims"),
    entry("mend", "fix"),
    entry("mended", "fixed"),
    entry("is told", "is notified, receives, gets"),
    entry("are told", "are notified, receive, get"),
    entry("was told", "was notified, received, got"),
    entry("were told", "were notified, received, got"),
    entry("hears of", "is notified of, receives"),
    entry("hear of", "are notified of, receive"),
    entry("what became of", "the outcome of"),
    entry("what becomes of", "the outcome of"),
    entry("what came of", "the result of"),
    entry("what comes of", "the result of"),
    entry("leave to", "permit"),
    entry("sign of life", "heartbeat"),
    entry("signs of life", "heartbeats"),
    entry("surroundings", "environment"),
    entry("is as good as", "is equivalent to"),
];

/// Uses of a listed word that are right, by file.
const ALLOWED: &[(&str, &str)] = &[
    // The list itself.
    ("xtask/src/wording.rs", ""),
    // The system user of that name.
    ("testing/src/home.rs", "nobody"),
    ("testing/src/postgres/", "nobody"),
    ("deploy/", "nobody"),
    ("crates/steadfast-cli/tests/doctor/sqlite.rs", "nobody"),
];

/// File types whose text is read.
const EXTENSIONS: [&str; 12] =
    ["css", "html", "js", "md", "mjs", "py", "rs", "sql", "svg", "toml", "yaml", "yml"];

/// Directories of test inputs and generated files.
const SKIPPED: [&str; 2] = ["fuzz/corpus/", "Cargo.lock"];

pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    crate::only(arguments, &[])?;
    check()
}

/// Checks all tracked files.
pub(crate) fn check() -> Result<(), Failure> {
    let listed = Run::new("git").arguments(["ls-files", "--cached", "--others"]);
    let files = listed.argument("--exclude-standard").answer().ok_or_else(|| {
        Failure::plain("`git ls-files` failed", "run this in a clone of the repository")
    })?;
    let findings: Vec<Finding> =
        files.lines().filter(|path| !is_skipped(path)).flat_map(check_file).collect();
    for finding in &findings {
        eprintln!("{finding}");
    }
    match findings.len() {
        0 => Ok(()),
        count => Err(Failure::plain(
            format!("{count} uses of words that docs/glossary.md replaces"),
            "reword them as each line suggests; a right use goes into ALLOWED in \
             xtask/src/wording.rs",
        )),
    }
}

fn is_skipped(path: &str) -> bool {
    SKIPPED.iter().any(|skipped| path.contains(skipped))
}

/// One use of a listed word; line 0 is the file's name.
#[derive(Debug, PartialEq)]
struct Finding {
    path: String,
    line: usize,
    phrase: &'static str,
    instead: &'static str,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { path, line, phrase, instead } = self;
        write!(f, "{path}:{line}: `{phrase}`: write {instead}")
    }
}

fn check_file(path: &str) -> Vec<Finding> {
    let mut findings = check_line(path, 0, path);
    let is_text = Path::new(path)
        .extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| EXTENSIONS.contains(&extension));
    if is_text {
        // A listed file may be deleted in the working tree.
        let text = fs::read_to_string(paths::root().join(path)).unwrap_or_default();
        for (index, line) in text.lines().enumerate() {
            findings.extend(check_line(path, index + 1, line));
        }
    }
    findings
}

fn check_line(path: &str, line: usize, text: &str) -> Vec<Finding> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let uses = |entry: &&Entry| {
        let phrase: Vec<&str> = entry.phrase.split(' ').collect();
        words.windows(phrase.len()).any(|window| window == phrase)
    };
    let entries = ENTRIES.iter().filter(uses).filter(|entry| !is_allowed(path, entry.phrase));
    entries
        .map(|Entry { phrase, instead }| Finding { path: path.to_owned(), line, phrase, instead })
        .collect()
}

fn is_allowed(path: &str, phrase: &str) -> bool {
    ALLOWED
        .iter()
        .any(|(prefix, word)| path.starts_with(prefix) && (word.is_empty() || *word == phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrases(path: &str, text: &str) -> Vec<&'static str> {
        check_line(path, 1, text).into_iter().map(|finding| finding.phrase).collect()
    }

    #[test]
    fn listed_words_are_found_in_prose_names_and_strings() {
        assert_eq!(phrases("a.rs", "/// For whoever asks."), ["whoever"]);
        assert_eq!(phrases("a.rs", "fn nobody_waits() {}"), ["nobody"]);
        assert_eq!(phrases("a.rs", r#"error("The worker is told: stop")"#), ["is told"]);
        assert_eq!(phrases("src/deeds.rs", "src/deeds.rs"), ["deeds"]);
    }

    #[test]
    fn parts_of_other_words_are_not_found() {
        assert!(phrases("a.rs", "indeed, a dearth of amendments").is_empty());
        assert!(phrases("a.rs", "the baseline is online").is_empty());
    }

    #[test]
    fn allowed_uses_are_not_reported() {
        assert!(phrases("deploy/Dockerfile", "USER nobody").is_empty());
        assert_eq!(phrases("deploy/README.md", "whoever"), ["whoever"]);
        assert_eq!(phrases("docs/serve.md", "nobody"), ["nobody"]);
    }

    #[test]
    fn finding_names_the_word_to_use() {
        let finding = check_line("src/a.rs", 7, "a dear query").pop().unwrap();
        assert_eq!(finding.to_string(), "src/a.rs:7: `dear`: write expensive");
    }
}
