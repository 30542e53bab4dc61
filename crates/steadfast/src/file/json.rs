//! A strict JSON parser: a file that passes here passes everywhere.
//!
//! It reads the tokens of `jsonc_parser`, which accepts more than JSON: control characters in a
//! string, and Unicode white space. The limits apply while it reads.

use std::collections::HashMap;

use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::tokens::Token;
use jsonc_parser::{Scanner, ScannerOptions};

use super::limits::{MAX_DEPTH, MAX_NODES, too_deep, too_many};
use super::problem::{Findings, Problem, excerpt};
use super::tree::{Content, Entry, Node, Span, duplicate_key, empty_file};
use super::{Path, Source, Step};

const STRICT: ScannerOptions = ScannerOptions {
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

const CHECK_BRACKETS: &str = "check the brackets, commas and colons before it";

pub(super) fn parse(source: &Source, findings: &mut Findings) -> Option<Node> {
    let mut reader = Reader {
        source,
        findings,
        scanner: Scanner::new(source.text(), &STRICT),
        end: 0,
        path: Path::default(),
        depth: 0,
        values: 0,
    };
    let document = reader.document();
    document.map_err(|problem| findings.add(|| problem)).unwrap_or_default()
}

struct Reader<'t, 'f> {
    source: &'t Source,
    findings: &'f mut Findings,
    scanner: Scanner<'t>,
    /// The end of the last token.
    end: usize,
    path: Path,
    /// The number of open lists and maps.
    depth: usize,
    /// The number of values so far.
    values: usize,
}

impl<'t> Reader<'t, '_> {
    fn document(&mut self) -> Result<Option<Node>, Problem> {
        let Some((token, at)) = self.next()? else {
            return Err(empty_file(self.source));
        };
        let node = self.value(token, at)?;
        match self.next()? {
            None => Ok(node),
            Some((_, at)) => {
                let message = "unexpected content after the end of the document";
                Err(self.problem(at, message, "check the brackets above"))
            }
        }
    }

    /// The next token and its span; `None` at the end.
    fn next(&mut self) -> Result<Option<(Token<'t>, Span)>, Problem> {
        let scanned = self.scanner.scan();
        let (start, end) = (self.scanner.token_start(), self.scanner.token_end());
        self.check_white_space(Span::new(self.end, start))?;
        self.end = end;
        let at = Span::new(start, end);
        match scanned.map_err(|error| self.token_error(&error))? {
            None => Ok(None),
            Some(Token::CommentLine(_) | Token::CommentBlock(_)) => {
                let message = "comments are not allowed in JSON";
                Err(self.problem(at, message, "remove it, or use YAML or TOML"))
            }
            Some(Token::String(_)) if self.source.slice(at).contains('\n') => {
                let suggestion = "close its quote, or write \\n for a line break";
                Err(self.problem(at, "unterminated string", suggestion))
            }
            Some(Token::String(_)) if self.source.slice(at).contains(|letter| letter < ' ') => {
                let suggestion = "write it as an escape, such as \\t";
                Err(self.problem(at, "control character in a string", suggestion))
            }
            Some(token) => Ok(Some((token, at))),
        }
    }

    /// A value that starts with this token; `None` if it is invalid and left out.
    fn value(&mut self, token: Token<'t>, at: Span) -> Result<Option<Node>, Problem> {
        self.values += 1;
        if self.values > MAX_NODES {
            return Err(too_many(self.source, at, &self.path));
        }
        let content = match token {
            Token::OpenBracket | Token::OpenBrace => return self.nested(token, at).map(Some),
            Token::Null => Some(Content::Null),
            Token::Boolean(bool) => Some(Content::Bool(bool)),
            Token::String(text) => Some(Content::Text(text.into_owned())),
            Token::Number(digits) => self.number(digits, at).map(Content::Number),
            Token::Word(_) => {
                let suggestion = "put double quotes around a string";
                return Err(self.problem(at, "not a JSON value", suggestion));
            }
            other => return Err(self.unexpected(&other, at)),
        };
        Ok(content.map(|content| Node { span: at, content }))
    }

    /// A list or map, after its opening bracket.
    fn nested(&mut self, opening: Token<'t>, at: Span) -> Result<Node, Problem> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(too_deep(self.source, at, &self.path));
        }
        let content = match opening {
            Token::OpenBracket => Content::List(self.list(at)?),
            _ => Content::Map(self.map(at)?),
        };
        self.depth -= 1;
        Ok(Node { span: Span { end: Span::new(0, self.end).end, ..at }, content })
    }

    fn list(&mut self, opening: Span) -> Result<Vec<Node>, Problem> {
        let mut items = Vec::new();
        for index in 0.. {
            self.path.push(Step::Item(index));
            match self.next()? {
                Some((Token::CloseBracket, _)) if index == 0 => break,
                Some((token, at)) => items.extend(self.value(token, at)?),
                None => return Err(self.unclosed(opening)),
            }
            if !self.comma(opening, "]")? {
                break;
            }
            self.path.pop();
        }
        self.path.pop();
        Ok(items)
    }

    fn map(&mut self, opening: Span) -> Result<Vec<Entry>, Problem> {
        let mut keys = HashMap::new();
        let mut entries = Vec::new();
        loop {
            let (key, key_span) = match self.next()? {
                Some((Token::String(key), at)) => (key.into_owned(), at),
                Some((Token::CloseBrace, _)) if keys.is_empty() => return Ok(entries),
                Some((Token::Word(_) | Token::Number(_) | Token::Boolean(_) | Token::Null, at)) => {
                    return Err(self.problem(at, "unquoted key", "put double quotes around it"));
                }
                Some((_, at)) => {
                    return Err(self.problem(at, "unexpected token in object", CHECK_BRACKETS));
                }
                None => {
                    return Err(self.problem(opening, "unclosed object", "add }"));
                }
            };
            self.path.push(Step::Key(key.clone()));
            let value = self.entry_value()?;
            match keys.get(&key).copied() {
                Some(first) => {
                    let (source, path) = (self.source, &self.path);
                    self.findings.add(|| duplicate_key(source, &key, key_span, Some(first), path));
                }
                None => {
                    keys.insert(key.clone(), key_span);
                    entries.extend(value.map(|value| Entry { key, key_span, value }));
                }
            }
            let more = self.comma(opening, "}")?;
            self.path.pop();
            if !more {
                return Ok(entries);
            }
        }
    }

    /// The colon after a key, and the value.
    fn entry_value(&mut self) -> Result<Option<Node>, Problem> {
        let suggestion = "write \"key\": value";
        match self.next()? {
            Some((Token::Colon, _)) => {}
            other => {
                let at = other.map_or(self.eof(), |(_, at)| at);
                return Err(self.problem(at, "missing colon after the key", suggestion));
            }
        }
        match self.next()? {
            Some((token, at)) => self.value(token, at),
            None => Err(self.problem(self.eof(), "missing value after the key", suggestion)),
        }
    }

    /// Whether another item follows: reads a comma, or the closing bracket.
    fn comma(&mut self, opening: Span, closing: &str) -> Result<bool, Problem> {
        let before = Span::new(self.end, self.end);
        match self.next()? {
            Some((_, at)) if self.source.slice(at) == closing => Ok(false),
            Some((Token::Comma, at)) => {
                let rest = self.source.text().get(self.end..).unwrap_or_default();
                if rest.trim_start_matches(is_white_space).starts_with(closing) {
                    let message = "trailing commas are not allowed in JSON";
                    return Err(self.problem(at, message, "remove the comma"));
                }
                Ok(true)
            }
            Some((other @ (Token::CloseBrace | Token::CloseBracket | Token::Colon), at)) => {
                Err(self.unexpected(&other, at))
            }
            Some(_) => Err(self.problem(before, "missing comma", "add one here")),
            None => Err(self.unclosed(opening)),
        }
    }

    /// A list or map without an end. Its path is that of its item.
    fn unclosed(&mut self, opening: Span) -> Problem {
        self.path.pop();
        match self.source.slice(opening) {
            "[" => self.problem(opening, "unclosed list", "add ]"),
            _ => self.problem(opening, "unclosed object", "add }"),
        }
    }

    fn unexpected(&self, token: &Token<'_>, at: Span) -> Problem {
        let message = match token {
            Token::CloseBracket => "unexpected close bracket",
            Token::CloseBrace => "unexpected close brace",
            Token::Comma => "unexpected comma",
            _ => "unexpected colon",
        };
        self.problem(at, message, CHECK_BRACKETS)
    }

    fn eof(&self) -> Span {
        Span::new(self.source.text().len(), self.source.text().len())
    }

    /// The scanner has checked the syntax of the number.
    fn number(&mut self, digits: &str, at: Span) -> Option<f64> {
        let number = digits.parse().ok().filter(|number: &f64| number.is_finite());
        if number.is_none() {
            let (source, path) = (self.source, &self.path);
            self.findings.add(|| {
                let message = format!("{} is too large for a number", excerpt(digits));
                Problem::at(source, at, message).path(path).suggest("use a smaller one")
            });
        }
        number
    }

    fn check_white_space(&self, between: Span) -> Result<(), Problem> {
        let text = self.source.slice(between);
        let rest = text.trim_start_matches(is_white_space);
        let Some(letter) = rest.chars().next() else {
            return Ok(());
        };
        let start = between.range().start + text.len() - rest.len();
        let message = format!("{} is not JSON white space", letter.escape_unicode());
        let at = Span::new(start, start + letter.len_utf8());
        Err(self.problem(at, message, "replace it with a space"))
    }

    fn token_error(&self, error: &ParseError) -> Problem {
        let at = Span::new(error.range().start, error.range().end);
        let is_word = self.source.slice(at).starts_with(char::is_alphabetic);
        let (message, suggestion) = match error.kind() {
            ParseErrorKind::UnterminatedCommentBlock => {
                (Some("comments are not allowed in JSON"), "remove it, or use YAML or TOML")
            }
            ParseErrorKind::SingleQuotedStringsNotAllowed => {
                (Some("single quotes are not allowed in JSON"), "use double quotes")
            }
            ParseErrorKind::UnexpectedToken if is_word => {
                (Some("not a JSON value"), "put double quotes around a string")
            }
            ParseErrorKind::UnexpectedToken => (None, CHECK_BRACKETS),
            ParseErrorKind::String(_) => (None, "check the quotes and the backslashes"),
            _ => (None, "write a decimal number, such as 12 or 0.5"),
        };
        let message = message.map_or_else(|| lowercase(&error.kind().to_string()), str::to_owned);
        self.problem(at, message, suggestion)
    }

    fn problem(&self, at: Span, message: impl Into<String>, suggestion: &str) -> Problem {
        Problem::at(self.source, at, message).path(&self.path).suggest(suggestion)
    }
}

fn is_white_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r')
}

fn lowercase(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map(char::to_lowercase).into_iter().flatten().chain(letters).collect()
}
