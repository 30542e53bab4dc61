//! Parsing of the tokens file. All problems are reported at once.

use std::collections::HashMap;
use std::ops::Range;

use jiff::Timestamp;
use steadfast::__private::nearest;
use steadfast::__private::tree::Span;
use steadfast::file::{Problem, Problems, Source};
use steadfast_store::Program;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Role, SecretHash, Token};

const FIELDS: [&str; 4] = ["name", "role", "hash", "expires_at"];
const MAX_NAME_BYTES: usize = 64;
const ENTRY_SUGGESTION: &str = "start each token with `[[token]]`";
const HASH_SUGGESTION: &str =
    "use the hash printed by `steadfast token new`, never the token itself";

pub(super) fn parse(source: &Source) -> Result<Vec<Token>, Problems> {
    let mut parser = Parser { source, problems: Vec::new() };
    let tokens = parser.file();
    Problems::into_result(parser.problems)?;
    Ok(tokens)
}

/// The problem with a name, if any.
pub(super) fn invalid_name(name: &str) -> Option<String> {
    let is_allowed = |char: char| char.is_alphanumeric() || "-_.@ ".contains(char);
    let problem = match name {
        "" => "must not be empty".to_owned(),
        name if Program::is_called(name) => {
            format!("the name `{name}` is reserved; choose another one")
        }
        name if name.len() > MAX_NAME_BYTES => {
            format!("a name has at most {MAX_NAME_BYTES} bytes; this one has {}", name.len())
        }
        name if !name.chars().all(is_allowed) || name.trim() != name => {
            "a name may contain letters, digits, spaces and `-_.@`".to_owned()
        }
        _ => return None,
    };
    Some(problem)
}

/// Suggests the nearest valid name, or else lists all of them.
fn did_you_mean<const N: usize>(given: &str, valid: [&'static str; N], all: &str) -> String {
    nearest(given, valid).map_or_else(|| all.to_owned(), |near| format!("did you mean `{near}`?"))
}

struct Parser<'s> {
    source: &'s Source,
    problems: Vec<Problem>,
}

/// The valid fields of one entry.
#[derive(Default)]
struct Fields {
    name: Option<String>,
    role: Option<Role>,
    hash: Option<SecretHash>,
    expires_at: Option<Timestamp>,
}

impl Parser<'_> {
    fn problem(&mut self, at: Range<usize>, message: impl Into<String>, next: impl Into<String>) {
        let at = Span::new(at.start, at.end);
        self.problems.push(Problem::at(self.source, at, message).suggest(next));
    }

    fn file(&mut self) -> Vec<Token> {
        let (table, errors) = DeTable::parse_recoverable(self.source.text());
        for error in &errors {
            self.problem(error.span().unwrap_or_default(), error.message(), "fix the TOML syntax");
        }
        // Text after a syntax error may be misread.
        if !errors.is_empty() {
            return Vec::new();
        }
        let mut tokens = Vec::new();
        for (key, value) in table.into_inner() {
            match key.get_ref().as_ref() {
                "token" => tokens.extend(self.entries(value)),
                other => {
                    self.problem(key.span(), format!("unknown key `{other}`"), ENTRY_SUGGESTION)
                }
            }
        }
        self.duplicates(&tokens);
        tokens.into_iter().map(|(token, _)| token).collect()
    }

    fn entries(&mut self, value: Spanned<DeValue<'_>>) -> Vec<(Token, Range<usize>)> {
        let at = value.span();
        let DeValue::Array(entries) = value.into_inner() else {
            self.problem(at, "`token` must be an array of tables", ENTRY_SUGGESTION);
            return Vec::new();
        };
        let entries = entries.into_iter();
        entries.filter_map(|entry| self.entry(entry.span(), entry.into_inner())).collect()
    }

    fn entry(&mut self, at: Range<usize>, value: DeValue<'_>) -> Option<(Token, Range<usize>)> {
        let DeValue::Table(fields) = value else {
            self.problem(at, "a token must be a table", "write `[[token]]` with its fields below");
            return None;
        };
        let before = self.problems.len();
        let mut parsed = Fields::default();
        for (key, value) in fields {
            self.field(&mut parsed, key.get_ref(), key.span(), value);
        }
        let Fields { name, role, hash, expires_at } = parsed;
        let missing =
            [("name", name.is_none()), ("role", role.is_none()), ("hash", hash.is_none())];
        if self.problems.len() == before {
            for (field, _) in missing.into_iter().filter(|(_, is_missing)| *is_missing) {
                let next = "create a complete entry with `steadfast token new`";
                self.problem(at.clone(), format!("the token has no {field}"), next);
            }
        }
        Some((Token { name: name?, role: role?, hash: hash?, expires_at }, at))
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
            ("name", DeValue::String(name)) => match invalid_name(name) {
                Some(problem) => self.problem(at, problem, "names appear in the audit log"),
                None => into.name = Some(name.to_string()),
            },
            ("role", DeValue::String(role)) => match role.parse() {
                Ok(role) => into.role = Some(role),
                Err(_) => {
                    let roles = "expected viewer, operator or admin";
                    let next = did_you_mean(role, Role::ALL.map(Role::name), roles);
                    self.problem(at, format!("unknown role `{role}`"), next);
                }
            },
            ("hash", DeValue::String(hash)) => match SecretHash::from_hex(hash) {
                Some(hash) => into.hash = Some(hash),
                None => self.problem(at, "not a SHA-256 hash in hex", HASH_SUGGESTION),
            },
            ("expires_at", DeValue::Datetime(time)) => self.time(into, at, &time.to_string()),
            ("expires_at", DeValue::String(time)) => self.time(into, at, time),
            (key, _) if FIELDS.contains(&key) => {
                self.problem(at, format!("{key} must be a string"), "put it in quotes");
            }
            (key, _) => {
                let keys = "valid keys are name, role, hash and expires_at";
                self.problem(of, format!("unknown key `{key}`"), did_you_mean(key, FIELDS, keys));
            }
        }
    }

    fn time(&mut self, into: &mut Fields, at: Range<usize>, text: &str) {
        match text.parse() {
            Ok(time) => into.expires_at = Some(time),
            Err(_) => self.problem(at, "not a timestamp", "write it like 2027-02-14T00:00:00Z"),
        }
    }

    fn duplicates(&mut self, tokens: &[(Token, Range<usize>)]) {
        let (mut names, mut hashes) = (HashMap::new(), HashMap::new());
        for (token, at) in tokens {
            let line = self.source.position(at.start).line;
            if let Some(first) = names.insert(token.name(), line) {
                let message =
                    format!("duplicate name `{}`, first used on line {first}", token.name);
                self.problem(at.clone(), message, "give each token its own name");
            }
            if let Some(first) = hashes.insert(token.hash, line) {
                let message = format!("duplicate token, first used on line {first}");
                let next = "create one per entry with `steadfast token new`";
                self.problem(at.clone(), message, next);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::Tokens;

    fn problems(text: &str) -> Vec<String> {
        let problems = Tokens::parse(&Source::new("tokens.toml", text)).unwrap_err();
        problems.as_slice().iter().map(ToString::to_string).collect()
    }

    const HASH: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    /// K1: an entry created by `token new` parses.
    #[test]
    fn new_token_entry_parses() {
        let end: Timestamp = "2027-02-14T00:00:00Z".parse().unwrap();
        let ci = super::super::NewToken::new("ci", Role::Operator, Some(end)).unwrap();
        let ada = super::super::NewToken::new("Ada L.", Role::Admin, None).unwrap();
        let text = format!("{}\n{}", ci.entry(), ada.entry());
        let tokens = Tokens::parse(&Source::new("tokens.toml", &text)).unwrap();
        let before: Timestamp = "2027-02-13T23:59:59Z".parse().unwrap();
        let found = tokens.find(ci.secret(), before).unwrap();
        assert_eq!((found.name(), found.role()), ("ci", Role::Operator));
        assert_eq!(tokens.find(ada.secret(), end).unwrap().name(), "Ada L.");
        assert!(tokens.find(ci.secret(), end).is_none(), "expired");
        assert!(tokens.find(&ci.secret().replace("sf_", "sg_"), before).is_none());
        assert!(!text.contains(ci.secret()) && !format!("{ci:?}").contains(ci.secret()));
    }

    /// K1, F2: all problems are reported at once, with lines and suggestions.
    #[test]
    fn all_problems_are_reported_with_their_lines() {
        let text = "[[token]]\nname = \"anonymous\"\nrole = \"oprator\"\nhash = \"abc\"\n\n\
                    [[token]]\nname = \"a\"\nroles = 1\nexpires_at = \"soon\"\n\n[server]\n";
        let found = problems(text);
        let expected = [
            "tokens.toml:2:8: the name `anonymous` is reserved; choose another one; names",
            "tokens.toml:3:8: unknown role `oprator`; did you mean `operator`?",
            "tokens.toml:4:8: not a SHA-256 hash in hex; use the hash",
            "tokens.toml:8:1: unknown key `roles`; did you mean `role`?",
            "tokens.toml:9:14: not a timestamp; write it like 2027",
            "tokens.toml:11:2: unknown key `server`; start each token",
        ];
        for line in expected {
            assert!(found.iter().any(|it| it.starts_with(line)), "{line}: {found:#?}");
        }
        assert_eq!(found.len(), expected.len(), "{found:#?}");
    }

    /// K1, K3: a token cannot have the name of a program in the audit log.
    #[test]
    fn reserved_name_is_rejected() {
        for program in Program::ALL {
            for name in [program.name().to_owned(), program.name().to_uppercase()] {
                let message = invalid_name(&name).unwrap();
                assert!(message.contains("is reserved"), "{message}");
            }
        }
        assert_eq!(invalid_name("observer"), None);
    }

    /// K1: duplicates are reported with both lines.
    #[test]
    fn duplicate_tokens_are_reported_with_both_lines() {
        let entry = format!("[[token]]\nname = \"a\"\nrole = \"viewer\"\nhash = \"{HASH}\"\n");
        let found = problems(&entry.repeat(2));
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with("tokens.toml:5:1: duplicate name `a`, first used on line 1"));
        assert!(found[1].contains("duplicate token, first used on line 1"));
    }

    /// K1: missing fields and syntax errors are reported.
    #[test]
    fn missing_fields_are_reported() {
        let found = problems("[[token]]\nname = \"a\"\n");
        assert!(found.iter().any(|it| it.contains("has no role")), "{found:?}");
        assert!(found.iter().any(|it| it.contains("has no hash")), "{found:?}");
        assert!(problems("[[token]\n")[0].starts_with("tokens.toml:1:"));
        assert!(problems("token = 1")[0].contains("must be an array"));
    }

    /// K4: a truncated or corrupted file parses or is rejected with a valid line.
    #[test]
    fn corrupted_file_parses_or_is_rejected() {
        let entry = format!("[[token]]\nname = \"a\"\nrole = \"viewer\"\nhash = \"{HASH}\"\n");
        for index in 0..entry.len() {
            let (before, after) = entry.split_at(index);
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
