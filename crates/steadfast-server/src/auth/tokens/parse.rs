//! A tokens file, read. Everything that is wrong with it is told at once.

use std::collections::HashMap;
use std::ops::Range;

use jiff::Timestamp;
use steadfast::file::Source;
use steadfast::nearest;
use steadfast_store::Program;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{TokenProblem, TokenProblems};
use super::{Kept, Role, Token};

const FIELDS: [&str; 4] = ["name", "role", "hash", "expires_at"];
const LONGEST_NAME: usize = 64;

/// Every token of a file.
pub(super) fn tokens(source: &Source) -> Result<Vec<Token>, TokenProblems> {
    let mut reading = Reading { source, problems: Vec::new() };
    let tokens = reading.file();
    if reading.problems.is_empty() { Ok(tokens) } else { Err(TokenProblems(reading.problems)) }
}

/// What is wrong with a name, if anything is.
pub(super) fn wrong_name(name: &str) -> Option<String> {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.@ ".contains(letter);
    let problem = match name {
        "" => "a name has at least one letter".to_owned(),
        name if Program::is_called(name) => {
            format!("`{name}` is what others are called; choose another name")
        }
        name if name.len() > LONGEST_NAME => {
            format!("a name has at most {LONGEST_NAME} bytes, and this one has {}", name.len())
        }
        name if !name.chars().all(is_plain) || name.trim() != name => {
            "a name is made of letters, figures and `-_.@`".to_owned()
        }
        _ => return None,
    };
    Some(problem)
}

struct Reading<'s> {
    source: &'s Source,
    problems: Vec<TokenProblem>,
}

/// The fields of one entry, as far as they are right.
#[derive(Default)]
struct Fields {
    name: Option<String>,
    role: Option<Role>,
    kept: Option<Kept>,
    expires_at: Option<Timestamp>,
}

impl Reading<'_> {
    fn wrong(&mut self, at: Range<usize>, message: impl Into<String>, next: impl Into<String>) {
        self.problems.push(TokenProblem::at(self.source, at, message).suggest(next));
    }

    fn file(&mut self) -> Vec<Token> {
        let (table, errors) = DeTable::parse_recoverable(self.source.text());
        for error in &errors {
            self.wrong(error.span().unwrap_or_default(), error.message(), "write it as TOML");
        }
        // What stands behind a slip may be read wrongly.
        if !errors.is_empty() {
            return Vec::new();
        }
        let mut tokens = Vec::new();
        for (key, value) in table.into_inner() {
            match (key.get_ref().as_ref(), value) {
                ("token", value) => tokens.extend(self.entries(value)),
                (other, _) => {
                    let message = format!("`{other}` is not known here");
                    self.wrong(key.span(), message, "write `[[token]]` above each token");
                }
            }
        }
        self.alike(&tokens);
        tokens.into_iter().map(|(token, _)| token).collect()
    }

    fn entries(&mut self, value: Spanned<DeValue<'_>>) -> Vec<(Token, Range<usize>)> {
        let at = value.span();
        let DeValue::Array(entries) = value.into_inner() else {
            self.wrong(at, "`token` is not a list", "write `[[token]]` above each token");
            return Vec::new();
        };
        let entries = entries.into_iter();
        entries.filter_map(|entry| self.entry(entry.span(), entry.into_inner())).collect()
    }

    fn entry(&mut self, at: Range<usize>, value: DeValue<'_>) -> Option<(Token, Range<usize>)> {
        let DeValue::Table(fields) = value else {
            self.wrong(at, "this is not a token", "write `[[token]]`, and its fields below it");
            return None;
        };
        let before = self.problems.len();
        let mut read = Fields::default();
        for (key, value) in fields {
            self.field(&mut read, key.get_ref(), key.span(), value);
        }
        let missing = [
            ("name", read.name.is_none()),
            ("role", read.role.is_none()),
            ("hash", read.kept.is_none()),
        ];
        if self.problems.len() == before {
            for (field, _) in missing.iter().filter(|(_, is_missing)| *is_missing) {
                let message = format!("this token has no {field}");
                self.wrong(at.clone(), message, "see `steadfast token new` for a whole entry");
            }
        }
        let Fields { name, role, kept, expires_at } = read;
        Some((Token { name: name?, role: role?, kept: kept?, expires_at }, at))
    }

    fn field(
        &mut self,
        into: &mut Fields,
        key: &str,
        of: Range<usize>,
        value: Spanned<DeValue<'_>>,
    ) {
        let at = value.span();
        match (key, value.get_ref()) {
            ("name", DeValue::String(name)) => match wrong_name(name) {
                Some(problem) => self.wrong(at, problem, "a name stands in the audit log"),
                None => into.name = Some(name.to_string()),
            },
            ("role", DeValue::String(role)) => match role.parse() {
                Ok(role) => into.role = Some(role),
                Err(_) => self.no_such_role(at, role),
            },
            ("hash", DeValue::String(hash)) => match Kept::from_hex(hash) {
                Some(kept) => into.kept = Some(kept),
                None => self.wrong(at, "this is no SHA-256 in hex", NOT_THE_TOKEN),
            },
            ("expires_at", DeValue::Datetime(time)) => self.time(into, at, &time.to_string()),
            ("expires_at", DeValue::String(time)) => self.time(into, at, time),
            (key, _) if FIELDS.contains(&key) => {
                self.wrong(at, format!("{key} is a text"), "write it in quotes");
            }
            (key, _) => self.unknown(of, key),
        }
    }

    fn time(&mut self, into: &mut Fields, at: Range<usize>, text: &str) {
        match text.parse() {
            Ok(time) => into.expires_at = Some(time),
            Err(_) => self.wrong(at, "this is no time", "write it as 2027-02-14T00:00:00Z"),
        }
    }

    fn no_such_role(&mut self, at: Range<usize>, role: &str) {
        let next = match nearest(role, Role::ALL.map(Role::name)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "say viewer, operator or admin".to_owned(),
        };
        self.wrong(at, format!("there is no role `{role}`"), next);
    }

    fn unknown(&mut self, at: Range<usize>, key: &str) {
        let next = match nearest(key, FIELDS) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "a token has name, role, hash and expires_at".to_owned(),
        };
        self.wrong(at, format!("`{key}` is not known here"), next);
    }

    /// Two that nobody could tell apart.
    fn alike(&mut self, tokens: &[(Token, Range<usize>)]) {
        let (mut names, mut hashes) = (HashMap::new(), HashMap::new());
        for (token, at) in tokens {
            let line = self.source.place(at.start).line;
            if let Some(first) = names.insert(token.name(), line) {
                let message =
                    format!("`{}` is the name of the token in line {first}, too", token.name);
                self.wrong(at.clone(), message, "give each a name of its own");
            }
            if let Some(first) = hashes.insert(token.kept, line) {
                let message = format!("this is the same token as the one in line {first}");
                self.wrong(at.clone(), message, "make one for each with `steadfast token new`");
            }
        }
    }
}

/// Somebody may have put the token itself there.
const NOT_THE_TOKEN: &str = "put the hash there that `steadfast token new` prints, never the token";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::Tokens;

    fn problems(text: &str) -> Vec<String> {
        let problems = Tokens::parse(&Source::new("tokens.toml", text)).unwrap_err();
        problems.as_slice().iter().map(ToString::to_string).collect()
    }

    const HASH: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    /// K1: what `token new` prints is what a file holds.
    #[test]
    fn a_fresh_entry_is_read() {
        let end: Timestamp = "2027-02-14T00:00:00Z".parse().unwrap();
        let ci = super::super::FreshToken::new("ci", Role::Operator, Some(end)).unwrap();
        let ada = super::super::FreshToken::new("Ada L.", Role::Admin, None).unwrap();
        let text = format!("{}\n{}", ci.entry(), ada.entry());
        let tokens = Tokens::parse(&Source::new("tokens.toml", &text)).unwrap();
        let before: Timestamp = "2027-02-13T23:59:59Z".parse().unwrap();
        let found = tokens.holder(ci.secret(), before).unwrap();
        assert_eq!((found.name(), found.role()), ("ci", Role::Operator));
        assert_eq!(tokens.holder(ada.secret(), end).unwrap().name(), "Ada L.");
        assert!(tokens.holder(ci.secret(), end).is_none(), "it has expired");
        assert!(tokens.holder(&ci.secret().replace("sf_", "sg_"), before).is_none());
        assert!(!text.contains(ci.secret()) && !format!("{ci:?}").contains(ci.secret()));
    }

    /// K1, F2: everything that is wrong is told at once, with its line and what was meant.
    #[test]
    fn everything_that_is_wrong_is_told_with_its_line() {
        let text = "[[token]]\nname = \"anonymous\"\nrole = \"oprator\"\nhash = \"abc\"\n\n\
                    [[token]]\nname = \"a\"\nroles = 1\nexpires_at = \"soon\"\n\n[server]\n";
        let told = problems(text);
        let expected = [
            "tokens.toml:2:8: `anonymous` is what others are called; choose another name; a name",
            "tokens.toml:3:8: there is no role `oprator`; did you mean `operator`?",
            "tokens.toml:4:8: this is no SHA-256 in hex; put the hash there",
            "tokens.toml:8:1: `roles` is not known here; did you mean `role`?",
            "tokens.toml:9:14: this is no time; write it as 2027",
            "tokens.toml:11:2: `server` is not known here; write `[[token]]`",
        ];
        for line in expected {
            assert!(told.iter().any(|it| it.starts_with(line)), "{line}: {told:#?}");
        }
        assert_eq!(told.len(), expected.len(), "{told:#?}");
    }

    /// K1, K3: nobody is taken for a part of the program in the audit log.
    #[test]
    fn a_name_that_the_audit_log_has_of_its_own_is_refused() {
        for program in Program::ALL {
            for name in [program.name().to_owned(), program.name().to_uppercase()] {
                let told = wrong_name(&name).unwrap();
                assert!(told.contains("is what others are called"), "{told}");
            }
        }
        assert_eq!(wrong_name("observer"), None);
    }

    /// K1: two that nobody could tell apart are told with both their lines.
    #[test]
    fn tokens_that_are_alike_are_told_with_both_lines() {
        let entry = format!("[[token]]\nname = \"a\"\nrole = \"viewer\"\nhash = \"{HASH}\"\n");
        let told = problems(&entry.repeat(2));
        assert_eq!(told.len(), 2);
        assert!(told[0].starts_with("tokens.toml:5:1: `a` is the name of the token in line 1"));
        assert!(told[1].contains("the same token as the one in line 1"));
    }

    /// K1: what is missing, and what is no TOML.
    #[test]
    fn what_is_missing_is_told() {
        let told = problems("[[token]]\nname = \"a\"\n");
        assert!(told.iter().any(|it| it.contains("has no role")), "{told:?}");
        assert!(told.iter().any(|it| it.contains("has no hash")), "{told:?}");
        assert!(problems("[[token]\n")[0].starts_with("tokens.toml:1:"));
        assert!(problems("token = 1")[0].contains("is not a list"));
    }

    /// K4: a file that was cut or scribbled in is read or refused, with a line that it has.
    #[test]
    fn a_damaged_file_is_read_or_refused() {
        let entry = format!("[[token]]\nname = \"a\"\nrole = \"viewer\"\nhash = \"{HASH}\"\n");
        for place in 0..entry.len() {
            let (before, after) = entry.split_at(place);
            for text in [before.to_owned(), after.to_owned(), format!("{before}\0é\"[{after}")] {
                let read = Tokens::parse(&Source::new("tokens.toml", &text));
                let lines = u32::try_from(text.split('\n').count()).unwrap();
                for problem in read.err().iter().flat_map(|problems| problems.as_slice()) {
                    assert!(
                        problem.line.is_some_and(|line| (1..=lines).contains(&line)),
                        "{problem}"
                    );
                    assert!(problem.suggestion.is_some(), "{problem}");
                }
            }
        }
    }
}
