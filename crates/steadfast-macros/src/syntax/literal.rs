//! The values of literals.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;

/// A string literal and its value.
#[derive(Clone)]
pub(crate) struct Text {
    literal: proc_macro2::Literal,
    value: String,
}

impl Text {
    pub(crate) fn new(value: &str, span: Span) -> Self {
        let mut literal = proc_macro2::Literal::string(value);
        literal.set_span(span);
        Self { literal, value: value.to_owned() }
    }

    pub(crate) fn value(&self) -> &str {
        &self.value
    }

    pub(crate) fn span(&self) -> Span {
        self.literal.span()
    }
}

impl ToTokens for Text {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.literal.to_tokens(tokens);
    }
}

pub(crate) enum Literal {
    Text(Text),
    Flag(bool),
    /// A number and its text, without suffix and underscores.
    Number(f64, String),
    /// A literal that no parameter accepts.
    Unsupported,
}

impl Literal {
    /// The literal that the tokens are, if they are one.
    pub(super) fn of(tokens: &[TokenTree]) -> Option<Self> {
        match tokens {
            [TokenTree::Literal(literal)] => Some(Self::unsigned(literal)),
            [TokenTree::Punct(minus), TokenTree::Literal(literal)] if minus.as_char() == '-' => {
                Some(number(&literal.to_string(), "-").unwrap_or(Self::Unsupported))
            }
            [TokenTree::Ident(flag)] if flag == "true" => Some(Self::Flag(true)),
            [TokenTree::Ident(flag)] if flag == "false" => Some(Self::Flag(false)),
            _ => None,
        }
    }

    fn unsigned(literal: &proc_macro2::Literal) -> Self {
        let source = literal.to_string();
        if let Some(value) = string(&source) {
            return Self::Text(Text { literal: literal.clone(), value });
        }
        number(&source, "").unwrap_or(Self::Unsupported)
    }
}

fn number(source: &str, sign: &str) -> Option<Literal> {
    let digits = source.replace('_', "");
    let radix = |prefix: &str, radix: u32| {
        let digits = digits.strip_prefix(prefix)?.split(['u', 'i']).next()?;
        u128::from_str_radix(digits, radix).ok().map(|number| number.to_string())
    };
    let decimal = || digits.split(['u', 'i', 'f']).next().map(str::to_owned);
    let digits = radix("0x", 16).or_else(|| radix("0o", 8)).or_else(|| radix("0b", 2));
    let text = format!("{sign}{}", digits.or_else(decimal)?);
    text.parse().ok().map(|number| Literal::Number(number, text))
}

/// The value of a string literal, raw or with escapes.
fn string(source: &str) -> Option<String> {
    if let Some(raw) = source.strip_prefix('r') {
        return Some(raw.trim_matches('#').strip_prefix('"')?.strip_suffix('"')?.to_owned());
    }
    let quoted = source.strip_prefix('"')?.strip_suffix('"')?;
    let mut value = String::with_capacity(quoted.len());
    let mut rest = quoted.chars();
    while let Some(char) = rest.next() {
        match char {
            '\\' => value.extend(escaped(&mut rest)?),
            char => value.push(char),
        }
    }
    Some(value)
}

/// The character after a backslash; none for an escaped line break, which continues in the next line.
fn escaped(rest: &mut std::str::Chars<'_>) -> Option<Option<char>> {
    let char = match rest.next()? {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '0' => '\0',
        'x' => code(rest.by_ref().take(2))?,
        'u' => code(rest.by_ref().skip(1).take_while(|char| *char != '}'))?,
        '\n' => {
            *rest = rest.as_str().trim_start().chars();
            return Some(None);
        }
        quoted => quoted,
    };
    Some(Some(char))
}

/// The character of a hexadecimal code.
fn code(digits: impl Iterator<Item = char>) -> Option<char> {
    let digits: String = digits.filter(|digit| *digit != '_').collect();
    char::from_u32(u32::from_str_radix(&digits, 16).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(source: &str) -> Option<Literal> {
        let tokens: TokenStream = source.parse().unwrap();
        Literal::of(&tokens.into_iter().collect::<Vec<_>>())
    }

    #[test]
    fn strings_have_the_value_that_the_compiler_reads() {
        for (source, value) in [
            (r#""a b""#, "a b"),
            (r#""\"\\\n\r\t\0\'""#, "\"\\\n\r\t\0'"),
            (r#""\x41\u{e9}\u{1_F600}é""#, "A\u{e9}\u{1F600}é"),
            ("\"one \\\n    line\"", "one line"),
            (r###"r"\n""###, "\\n"),
            (r###"r#"say "x""#"###, "say \"x\""),
        ] {
            let Some(Literal::Text(text)) = literal(source) else {
                panic!("{source} is no string");
            };
            assert_eq!(text.value(), value, "{source}");
        }
    }

    #[test]
    fn numbers_lose_their_suffix() {
        for (source, expected) in [
            ("4", "4"),
            ("-4", "-4"),
            ("1_000u32", "1000"),
            ("0xff_u8", "255"),
            ("0b11", "3"),
            ("0o17i32", "15"),
            ("1.5f64", "1.5"),
            ("-2e3", "-2e3"),
        ] {
            let Some(Literal::Number(number, text)) = literal(source) else {
                panic!("{source} is no number");
            };
            assert_eq!((number, text.as_str()), (expected.parse().unwrap(), expected), "{source}");
        }
    }

    #[test]
    fn other_literals_are_unsupported() {
        for source in ["'c'", "b\"bytes\"", "c\"text\"", "-\"text\""] {
            assert!(matches!(literal(source), Some(Literal::Unsupported)), "{source}");
        }
        assert!(matches!(literal("true"), Some(Literal::Flag(true))));
        assert!(literal("NAME").is_none() && literal("1 + 2").is_none());
    }
}
