//! The values of parameters.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

use super::literal::{Literal, Text};
use super::parser::{Parser, is, split_at_commas, stream};
use super::{Error, Result, span_of, ungrouped};

/// `name` or `name = value`, in an attribute.
pub(crate) struct NamedValue {
    pub(crate) name: Ident,
    pub(crate) value: Option<Expression>,
}

/// The parameters of an attribute.
pub(crate) fn named_values(tokens: TokenStream) -> Result<Vec<NamedValue>> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut parser = Parser(&tokens);
    let mut values = Vec::new();
    while !parser.is_empty() {
        let span = parser.span();
        let name = parser.ident().ok_or_else(|| Error::new(span, "expected a name"))?;
        let value = match parser.punct('=') {
            Some(_) => Some(Expression::read(&mut parser, name)?),
            None => None,
        };
        values.push(NamedValue { name: name.clone(), value });
        if !parser.is_empty() && parser.punct(',').is_none() {
            return Err(Error::new(parser.span(), "expected `,`"));
        }
    }
    Ok(values)
}

/// An expression.
#[derive(Clone)]
pub(crate) struct Expression(TokenStream);

impl Expression {
    /// The expression up to the next comma outside of brackets and of a closure's parameters.
    fn read(parser: &mut Parser<'_>, name: &Ident) -> Result<Self> {
        let start = parser.0;
        // A qualified path: `<T as Trait<A, B>>::method`.
        parser.angle_brackets();
        parser.keyword("move");
        if parser.punct('|').is_some() {
            parser.until(|rest| rest.is_punct('|'));
            parser.punct('|');
        }
        while !parser.is_empty() && !parser.is_punct(',') {
            // The generics of a call: `method::<A, B>()`.
            if parser.operator([':', ':']).is_none() || parser.angle_brackets().is_none() {
                parser.token();
            }
        }
        let tokens = start.get(..start.len() - parser.0.len()).unwrap_or_default();
        if tokens.is_empty() {
            return Err(Error::new(name.span(), format!("`{name}` needs a value after `=`")));
        }
        Ok(Self::new(stream(tokens)))
    }

    fn new(tokens: TokenStream) -> Self {
        Self(ungrouped(tokens).into_iter().collect())
    }

    pub(crate) fn span(&self) -> Span {
        span_of(&self.0)
    }

    fn tokens(&self) -> Vec<TokenTree> {
        self.0.clone().into_iter().collect()
    }

    /// The literal that it is, if it is one.
    pub(crate) fn literal(&self) -> Option<Literal> {
        Literal::of(&self.tokens())
    }

    /// The string literal that it is, if it is one.
    pub(crate) fn text(&self) -> Option<Text> {
        match self.literal() {
            Some(Literal::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The name that it is, if it is one.
    pub(crate) fn name(&self) -> Option<Ident> {
        match self.tokens().as_slice() {
            [TokenTree::Ident(name)] if name != "true" && name != "false" => Some(name.clone()),
            _ => None,
        }
    }

    /// The items of an array. `[item; count]` is not one.
    pub(crate) fn items(&self) -> Option<Vec<Self>> {
        let tokens = self.tokens();
        let [TokenTree::Group(group)] = tokens.as_slice() else {
            return None;
        };
        let items: Vec<TokenTree> = group.stream().into_iter().collect();
        if group.delimiter() != Delimiter::Bracket || items.iter().any(|item| is(item, ';')) {
            return None;
        }
        Some(split_at_commas(&items).into_iter().map(|item| Self::new(stream(item))).collect())
    }

    /// A reference to its value, whether that is a value, a reference or a smart pointer.
    pub(crate) fn reference(&self) -> TokenStream {
        let value = &self.0;
        let is_reference = match self.tokens().first() {
            Some(TokenTree::Punct(punct)) => punct.as_char() == '&',
            // Their branches must be references.
            Some(TokenTree::Ident(keyword)) => keyword == "if" || keyword == "match",
            Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Brace,
            _ => false,
        };
        match is_reference {
            true => quote!(#value),
            false => quote_spanned!(self.span()=> &(#value)),
        }
    }
}

impl ToTokens for Expression {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(tokens: TokenStream) -> Vec<(String, String)> {
        let values = named_values(tokens).unwrap().into_iter();
        values
            .map(|item| (item.name.to_string(), item.value.to_token_stream().to_string()))
            .collect()
    }

    #[test]
    fn comma_in_an_expression_does_not_end_it() {
        for value in [
            quote!(|fault: &Fault, other| Some(fault.kind)),
            quote!(move |_: HashMap<A, B>| None),
            quote!(|| build(1, 2)),
            quote!(make::<A, B>().other(1, 2)),
            quote!(<A as Make<B, C>>::make::<D, E>()),
            quote!(a < b),
            quote!([1, 2]),
        ] {
            let parsed = values(quote!(judge = #value, name = "x",));
            let expected =
                [("judge".to_owned(), value.to_string()), ("name".into(), "\"x\"".into())];
            assert_eq!(parsed, expected);
        }
    }

    #[test]
    fn malformed_parameters_are_rejected() {
        for (tokens, message) in [
            (quote!(4), "expected a name"),
            (quote!(name "x"), "expected `,`"),
            (quote!(name = , judge = x), "`name` needs a value after `=`"),
        ] {
            let error = named_values(tokens).err().unwrap();
            assert_eq!(error.messages(), [message]);
        }
    }

    #[test]
    fn repeated_item_is_not_a_list() {
        let items = |tokens| Expression::new(tokens).items().map(|items| items.len());
        assert_eq!(items(quote!(["7d", 1 + 2,])), Some(2));
        assert_eq!(items(quote!(["7d"; 3])), None);
        assert_eq!(items(quote!(("7d", "14d"))), None);
    }
}
