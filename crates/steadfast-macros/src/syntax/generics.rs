//! The generic parameters of a type.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote;

use super::Attribute;
use super::parser::{Parser, comma_separated, stream};

#[derive(Default)]
pub(crate) struct Generics {
    parameters: Vec<Parameter>,
    /// The predicates after `where`.
    pub(crate) conditions: Vec<TokenStream>,
}

struct Parameter {
    /// With its bounds and without its default.
    declaration: TokenStream,
    name: TokenStream,
    /// The name of a type.
    type_name: Option<Ident>,
}

impl Generics {
    /// `<...>`, if it follows.
    pub(super) fn read(parser: &mut Parser<'_>) -> Option<Self> {
        let Some(tokens) = parser.angle_brackets() else {
            return Some(Self::default());
        };
        let tokens = tokens.get(1..tokens.len() - 1)?;
        let parameters = comma_separated(tokens).into_iter().map(Parameter::read);
        Some(Self { parameters: parameters.collect::<Option<_>>()?, conditions: Vec::new() })
    }

    /// `where ...`, if it follows.
    pub(super) fn read_conditions(
        &mut self,
        parser: &mut Parser<'_>,
        ends: fn(Parser<'_>) -> bool,
    ) {
        if parser.keyword("where").is_some() {
            let conditions = comma_separated(parser.until(ends));
            self.conditions.extend(conditions.into_iter().map(stream));
        }
    }

    /// The names of the type parameters.
    pub(crate) fn type_names(&self) -> Vec<&Ident> {
        self.parameters.iter().filter_map(|parameter| parameter.type_name.as_ref()).collect()
    }

    /// The parameters after `impl`.
    pub(crate) fn declarations(&self) -> Option<TokenStream> {
        let declarations = self.parameters.iter().map(|parameter| &parameter.declaration);
        (!self.parameters.is_empty()).then(|| quote!(<#(#declarations),*>))
    }

    /// The arguments after the type's name.
    pub(crate) fn arguments(&self) -> Option<TokenStream> {
        let names = self.parameters.iter().map(|parameter| &parameter.name);
        (!self.parameters.is_empty()).then(|| quote!(<#(#names),*>))
    }
}

impl Parameter {
    fn read(tokens: &[TokenTree]) -> Option<Self> {
        let mut parser = Parser(tokens);
        Attribute::read_all(&mut parser);
        if let Some(lifetime) = parser.lifetime() {
            let declaration = stream(tokens);
            return Some(Self { declaration, name: stream(lifetime), type_name: None });
        }
        let is_type = parser.keyword("const").is_none();
        let name = parser.ident()?;
        let declaration = stream(Parser(tokens).until(|rest| rest.is_punct('=')));
        Some(Self { declaration, name: quote!(#name), type_name: is_type.then(|| name.clone()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_lose_their_defaults() {
        let tokens: Vec<TokenTree> =
            quote!(<'a: 'b, T: Iterator<Item = u8> + ?Sized = X<Y>, const N: usize = 3>)
                .into_iter()
                .collect();
        let generics = Generics::read(&mut Parser(&tokens)).unwrap();
        let expected = quote!(<'a: 'b, T: Iterator<Item = u8> + ?Sized, const N: usize>);
        assert_eq!(generics.declarations().unwrap().to_string(), expected.to_string());
        assert_eq!(generics.arguments().unwrap().to_string(), quote!(<'a, T, N>).to_string());
        assert_eq!(generics.type_names(), ["T"]);
    }
}
