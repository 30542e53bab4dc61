//! A parser over token trees.

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};

/// The tokens that are left.
#[derive(Clone, Copy)]
pub(super) struct Parser<'t>(pub(super) &'t [TokenTree]);

impl<'t> Parser<'t> {
    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The span of the next token.
    pub(super) fn span(self) -> Span {
        self.0.first().map_or_else(Span::call_site, TokenTree::span)
    }

    /// The next token, whatever it is.
    pub(super) fn token(&mut self) -> Option<&'t TokenTree> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    pub(super) fn ident(&mut self) -> Option<&'t Ident> {
        match self.0 {
            [TokenTree::Ident(ident), rest @ ..] => {
                self.0 = rest;
                Some(ident)
            }
            _ => None,
        }
    }

    pub(super) fn keyword(&mut self, keyword: &str) -> Option<&'t Ident> {
        if self.is_keyword(keyword) { self.ident() } else { None }
    }

    pub(super) fn is_keyword(self, keyword: &str) -> bool {
        matches!(self.0, [TokenTree::Ident(ident), ..] if ident == keyword)
    }

    pub(super) fn punct(&mut self, char: char) -> Option<&'t Punct> {
        match self.0 {
            [TokenTree::Punct(punct), rest @ ..] if punct.as_char() == char => {
                self.0 = rest;
                Some(punct)
            }
            _ => None,
        }
    }

    pub(super) fn is_punct(self, char: char) -> bool {
        self.0.first().is_some_and(|token| is(token, char))
    }

    /// Whether an operator of two characters follows, such as `->`.
    pub(super) fn is_operator(self, [first, second]: [char; 2]) -> bool {
        let [TokenTree::Punct(one), TokenTree::Punct(other), ..] = self.0 else {
            return false;
        };
        one.as_char() == first && one.spacing() == Spacing::Joint && other.as_char() == second
    }

    /// The next operator of two characters, if it is this one.
    pub(super) fn operator(&mut self, operator: [char; 2]) -> Option<&'t [TokenTree]> {
        if !self.is_operator(operator) {
            return None;
        }
        let (pair, rest) = self.0.split_at_checked(2)?;
        self.0 = rest;
        Some(pair)
    }

    pub(super) fn group(&mut self, delimiter: Delimiter) -> Option<&'t Group> {
        match self.0 {
            [TokenTree::Group(group), rest @ ..] if group.delimiter() == delimiter => {
                self.0 = rest;
                Some(group)
            }
            _ => None,
        }
    }

    /// A lifetime: a quote and a name.
    pub(super) fn lifetime(&mut self) -> Option<&'t [TokenTree]> {
        match self.0 {
            [TokenTree::Punct(quote), TokenTree::Ident(_), ..] if quote.as_char() == '\'' => {
                let (lifetime, rest) = self.0.split_at_checked(2)?;
                self.0 = rest;
                Some(lifetime)
            }
            _ => None,
        }
    }

    /// The tokens of a type, a pattern or a parameter list, up to where it `ends` outside of angle
    /// brackets.
    pub(super) fn until(&mut self, ends: impl Fn(Self) -> bool) -> &'t [TokenTree] {
        let start = self.0;
        let mut depth = 0_usize;
        while !self.is_empty() && (depth > 0 || !ends(*self)) {
            // A part of these operators is neither a bracket nor a separator.
            let is_operator = [['-', '>'], ['=', '>'], [':', ':']]
                .into_iter()
                .any(|operator| self.operator(operator).is_some());
            if is_operator {
                continue;
            }
            if self.is_punct('<') {
                depth += 1;
            } else if self.is_punct('>') {
                depth = depth.saturating_sub(1);
            }
            self.token();
        }
        start.get(..start.len() - self.0.len()).unwrap_or_default()
    }

    /// `<...>`, if it follows.
    pub(super) fn angle_brackets(&mut self) -> Option<&'t [TokenTree]> {
        let start = self.0;
        self.punct('<')?;
        self.until(|rest| rest.is_punct('>'));
        self.punct('>')?;
        start.get(..start.len() - self.0.len())
    }
}

/// The parts between commas. A comma after the last one is ignored.
pub(super) fn comma_separated(tokens: &[TokenTree]) -> Vec<&[TokenTree]> {
    let mut parts = Vec::new();
    let mut parser = Parser(tokens);
    while !parser.is_empty() {
        parts.push(parser.until(|rest| rest.is_punct(',')));
        parser.punct(',');
    }
    parts
}

/// The same where `<` is an operator.
pub(super) fn split_at_commas(tokens: &[TokenTree]) -> Vec<&[TokenTree]> {
    let parts = tokens.split(|token| is(token, ','));
    parts.filter(|part| !part.is_empty()).collect()
}

/// Whether a token is this character.
pub(super) fn is(token: &TokenTree, char: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == char)
}

pub(super) fn stream(tokens: &[TokenTree]) -> TokenStream {
    tokens.iter().cloned().collect()
}
