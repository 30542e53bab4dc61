//! A token scan of a JSON text, with the path of each token.
//!
//! It checks the limits, and rejects what the parser accepts and JSON does not: control characters
//! in a string, and Unicode white space.

use std::borrow::Cow;

use jsonc_parser::tokens::Token;
use jsonc_parser::{Scanner, ScannerOptions};

use crate::file::limits::{MAX_DEPTH, MAX_NODES, too_deep, too_many};
use crate::file::problem::Problem;
use crate::file::tree::Span;
use crate::file::{Path, Source, Step};

/// Rejects a text that the parser must not read. The parser reports the other syntax errors.
pub(super) fn check(source: &Source) -> Result<(), Problem> {
    let mut walk = Walk::new(source);
    let mut before = 0;
    while let Some((token, at)) = walk.scan() {
        walk.follow(&token);
        let between = Span::new(before, at.range().start);
        before = at.range().end;
        if walk.open.len() > MAX_DEPTH {
            return Err(too_deep(source, at, &walk.path()));
        }
        if walk.values > MAX_NODES {
            return Err(too_many(source, at, &walk.path()));
        }
        if !source.slice(between).chars().all(is_white_space) {
            return Err(not_json_white_space(source, between, &walk.path()));
        }
        if matches!(token, Token::String(_)) && source.slice(at).chars().any(is_control) {
            return Err(unterminated_string(source, at, &walk.path()));
        }
    }
    let rest = Span::new(before, walk.scanner.token_start());
    if source.slice(rest).chars().all(is_white_space) {
        return Ok(());
    }
    Err(not_json_white_space(source, rest, &walk.path()))
}

/// The path to an offset.
pub(super) fn path_to(source: &Source, offset: usize) -> Path {
    let mut walk = Walk::new(source);
    while let Some((token, at)) = walk.scan()
        && at.range().start < offset
    {
        walk.follow(&token);
    }
    walk.path()
}

struct Walk<'t> {
    scanner: Scanner<'t>,
    /// The lists and maps that contain the token.
    open: Vec<Open<'t>>,
    /// The number of values so far.
    values: usize,
}

enum Open<'t> {
    /// The index of its current item.
    List(usize),
    /// The current key.
    Map(Option<Cow<'t, str>>),
}

impl<'t> Walk<'t> {
    fn new(source: &'t Source) -> Self {
        let options = ScannerOptions {
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        Self { scanner: Scanner::new(source.text(), &options), open: Vec::new(), values: 0 }
    }

    /// The next token; `None` at the end or at an invalid one.
    fn scan(&mut self) -> Option<(Token<'t>, Span)> {
        let token = self.scanner.scan().ok()??;
        Some((token, Span::new(self.scanner.token_start(), self.scanner.token_end())))
    }

    /// Updates the path by a token.
    fn follow(&mut self, token: &Token<'t>) {
        match token {
            Token::OpenBrace => self.enter(Open::Map(None)),
            Token::OpenBracket => self.enter(Open::List(0)),
            Token::CloseBrace | Token::CloseBracket => {
                self.open.pop();
            }
            Token::Comma => match self.open.last_mut() {
                Some(Open::List(index)) => *index += 1,
                Some(Open::Map(key)) => *key = None,
                None => {}
            },
            Token::String(text) => match self.open.last_mut() {
                Some(Open::Map(key @ None)) => *key = Some(text.clone()),
                _ => self.values += 1,
            },
            Token::Word(_) | Token::Boolean(_) | Token::Number(_) | Token::Null => self.values += 1,
            Token::Colon | Token::CommentLine(_) | Token::CommentBlock(_) => {}
        }
    }

    fn enter(&mut self, open: Open<'t>) {
        self.values += 1;
        self.open.push(open);
    }

    fn path(&self) -> Path {
        self.open.iter().filter_map(Open::step).collect()
    }
}

impl Open<'_> {
    fn step(&self) -> Option<Step> {
        match self {
            Self::List(index) => Some(Step::Item(*index)),
            Self::Map(key) => key.as_ref().map(|key| Step::Key(key.clone().into_owned())),
        }
    }
}

fn is_white_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r')
}

fn is_control(letter: char) -> bool {
    letter < ' '
}

fn not_json_white_space(source: &Source, between: Span, path: &Path) -> Problem {
    let text = source.slice(between);
    let valid = text.len() - text.trim_start_matches(is_white_space).len();
    let start = between.range().start + valid;
    let letter = text.get(valid..).and_then(|rest| rest.chars().next()).unwrap_or_default();
    let message = format!("{} is not JSON white space", letter.escape_unicode());
    Problem::at(source, Span::new(start, start + letter.len_utf8()), message)
        .path(path)
        .suggest("replace it with a space")
}

fn unterminated_string(source: &Source, at: Span, path: &Path) -> Problem {
    let (message, suggestion) = if source.slice(at).contains('\n') {
        ("unterminated string", "close its quote, or write \\n for a line break")
    } else {
        ("control character in a string", "write it as an escape, such as \\t")
    };
    Problem::at(source, at, message).path(path).suggest(suggestion)
}
