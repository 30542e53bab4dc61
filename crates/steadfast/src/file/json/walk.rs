//! The tokens of a JSON text, one after the other, and where each of them is.
//!
//! What the parser would let pass and JSON does not, is refused here: line breaks and
//! other control characters in a text, and white space of other alphabets.

use std::borrow::Cow;

use jsonc_parser::tokens::Token;
use jsonc_parser::{Scanner, ScannerOptions};

use crate::file::bounds::{MAX_DEPTH, MAX_NODES, too_deep, too_many};
use crate::file::problem::Problem;
use crate::file::tree::Span;
use crate::file::{Path, Source, Step};

/// Refuses what the parser must not see. What it refuses itself is left to it.
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
        if !source.slice(between).chars().all(is_white) {
            return Err(foreign_white(source, between, &walk.path()));
        }
        if matches!(token, Token::String(_)) && source.slice(at).chars().any(is_control) {
            return Err(broken_text(source, at, &walk.path()));
        }
    }
    let rest = Span::new(before, walk.scanner.token_start());
    if source.slice(rest).chars().all(is_white) {
        return Ok(());
    }
    Err(foreign_white(source, rest, &walk.path()))
}

/// The way to what stands at an offset.
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
    /// The lists and maps around the token.
    open: Vec<Open<'t>>,
    /// The values so far.
    values: usize,
}

enum Open<'t> {
    /// The place of its next item.
    List(usize),
    /// The key whose value is next.
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

    /// The next token, up to one that is none.
    fn scan(&mut self) -> Option<(Token<'t>, Span)> {
        let token = self.scanner.scan().ok()??;
        Some((token, Span::new(self.scanner.token_start(), self.scanner.token_end())))
    }

    /// Goes where the token leads.
    fn follow(&mut self, token: &Token<'t>) {
        match token {
            Token::OpenBrace => self.enter(Open::Map(None)),
            Token::OpenBracket => self.enter(Open::List(0)),
            Token::CloseBrace | Token::CloseBracket => {
                self.open.pop();
            }
            Token::Comma => match self.open.last_mut() {
                Some(Open::List(place)) => *place += 1,
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
            Self::List(place) => Some(Step::Item(*place)),
            Self::Map(key) => key.as_ref().map(|key| Step::Key(key.clone().into_owned())),
        }
    }
}

fn is_white(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r')
}

fn is_control(letter: char) -> bool {
    letter < ' '
}

fn foreign_white(source: &Source, between: Span, path: &Path) -> Problem {
    let text = source.slice(between);
    let good = text.len() - text.trim_start_matches(is_white).len();
    let start = between.range().start + good;
    let letter = text.get(good..).and_then(|rest| rest.chars().next()).unwrap_or_default();
    let message = format!("{} is no white space of JSON", letter.escape_unicode());
    Problem::at(source, Span::new(start, start + letter.len_utf8()), message)
        .path(path)
        .suggest("replace it by a space")
}

fn broken_text(source: &Source, at: Span, path: &Path) -> Problem {
    let (message, suggestion) = if source.slice(at).contains('\n') {
        ("this text does not end in its line", "close its quote, or write \\n for a line break")
    } else {
        ("there is a control character in this text", "write it as an escape, such as \\t")
    };
    Problem::at(source, at, message).path(path).suggest(suggestion)
}
