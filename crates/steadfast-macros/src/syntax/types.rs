//! Types, as far as the macros look into them.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use super::parser::{Parser, comma_separated, is, stream};
use super::{span_of, ungrouped};

/// A type.
#[derive(Clone)]
pub(crate) struct Type(TokenStream);

impl Type {
    pub(super) fn new(tokens: &[TokenTree]) -> Self {
        Self(stream(tokens))
    }

    pub(crate) fn span(&self) -> Span {
        span_of(&self.0)
    }

    /// Its tokens without the groups and parentheses around it.
    fn bare(&self) -> Vec<TokenTree> {
        bare(self.0.clone())
    }

    /// Whether a reference is mutable; nothing if it is not a reference.
    pub(crate) fn reference(&self) -> Option<bool> {
        let tokens = self.bare();
        let mut parser = Parser(&tokens);
        parser.punct('&')?;
        parser.lifetime();
        Some(parser.is_keyword("mut"))
    }

    /// The path that it is, if it is one.
    pub(crate) fn path(&self) -> Option<PathType> {
        PathType::read(&self.bare())
    }

    /// Whether it is the call of a macro.
    pub(crate) fn is_macro(&self) -> bool {
        let tokens = self.bare();
        matches!(tokens.as_slice(), [.., mark, TokenTree::Group(_)] if is(mark, '!'))
    }

    /// The traits of `impl A + B` and `dyn A + B`.
    pub(crate) fn bounds(&self) -> Vec<PathType> {
        let tokens = self.bare();
        let mut parser = Parser(&tokens);
        if parser.keyword("impl").is_none() && parser.keyword("dyn").is_none() {
            return Vec::new();
        }
        let mut bounds = Vec::new();
        while !parser.is_empty() {
            bounds.extend(PathType::read(parser.until(|rest| rest.is_punct('+'))));
            parser.punct('+');
        }
        bounds
    }

    /// The same type with `_` for every `impl Trait`, which a body cannot name.
    pub(crate) fn without_impl_trait(&self) -> Self {
        Self(inferred(&self.0.clone().into_iter().collect::<Vec<_>>()))
    }
}

impl ToTokens for Type {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.to_tokens(tokens);
    }
}

fn bare(tokens: TokenStream) -> Vec<TokenTree> {
    let tokens = ungrouped(tokens);
    match tokens.as_slice() {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            let mut parser = Parser(&inner);
            parser.until(|rest| rest.is_punct(','));
            // With a comma it is a tuple.
            if parser.is_empty() && !inner.is_empty() { bare(group.stream()) } else { tokens }
        }
        _ => tokens,
    }
}

fn inferred(tokens: &[TokenTree]) -> TokenStream {
    let mut parser = Parser(tokens);
    let mut result = TokenStream::new();
    while !parser.is_empty() {
        if parser.keyword("impl").is_some() {
            parser.until(|rest| rest.is_punct(',') || rest.is_punct('>'));
            result.extend(quote!(_));
            continue;
        }
        result.extend(parser.token().map(|token| match token {
            TokenTree::Group(group) => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let mut same = proc_macro2::Group::new(group.delimiter(), inferred(&inner));
                same.set_span(group.span());
                same.into()
            }
            other => other.clone(),
        }));
    }
    result
}

/// A path: `std::result::Result<T, E>`.
pub(crate) struct PathType {
    /// Everything before the last name.
    before: TokenStream,
    /// The last name.
    pub(crate) name: Ident,
    /// Its generic arguments, if it has any.
    arguments: Vec<TokenStream>,
}

/// The first words of types that are not paths.
const NOT_A_PATH: [&str; 7] = ["_", "dyn", "extern", "fn", "for", "impl", "unsafe"];

impl PathType {
    fn read(tokens: &[TokenTree]) -> Option<Self> {
        let mut parser = Parser(tokens);
        if NOT_A_PATH.iter().any(|word| parser.is_keyword(word)) {
            return None;
        }
        parser.angle_brackets();
        parser.operator([':', ':']);
        loop {
            let before = tokens.get(..tokens.len() - parser.0.len())?;
            let name = parser.ident()?.clone();
            let is_path = parser.operator([':', ':']).is_some();
            let arguments = parser.angle_brackets().unwrap_or_default();
            if parser.is_empty() {
                let arguments = arguments.get(1..arguments.len().saturating_sub(1));
                let arguments = comma_separated(arguments.unwrap_or_default());
                let arguments = arguments.into_iter().map(stream).collect();
                return Some(Self { before: stream(before), name, arguments });
            }
            if !is_path || !arguments.is_empty() {
                parser.operator([':', ':'])?;
            }
        }
    }

    /// The types among its generic arguments, with their positions.
    fn positioned_types(&self) -> impl Iterator<Item = (usize, Type)> {
        let types = self.arguments.iter().enumerate();
        types.filter(|(_, tokens)| is_type(tokens)).map(|(at, tokens)| (at, Type(tokens.clone())))
    }

    /// The types among its generic arguments.
    pub(crate) fn types(&self) -> impl Iterator<Item = Type> {
        self.positioned_types().map(|(_, ty)| ty)
    }

    /// The type of `Name = Type` among its generic arguments.
    pub(crate) fn associated_type(&self, name: &str) -> Option<Type> {
        self.arguments.iter().find_map(|argument| {
            let tokens: Vec<TokenTree> = argument.clone().into_iter().collect();
            let mut parser = Parser(&tokens);
            parser.keyword(name)?;
            parser.punct('=')?;
            Some(Type::new(parser.0))
        })
    }

    /// The same path with another type for the nth type among its generic arguments.
    pub(crate) fn with_type(mut self, nth: usize, ty: &Type) -> Type {
        let position = self.positioned_types().nth(nth).map(|(position, _)| position);
        if let Some(argument) = position.and_then(|position| self.arguments.get_mut(position)) {
            *argument = ty.to_token_stream();
        }
        let Self { before, name, arguments } = &self;
        Type(quote!(#before #name<#(#arguments),*>))
    }
}

/// Whether a generic argument is a type, and not a lifetime, a constant or an associated type.
fn is_type(argument: &TokenStream) -> bool {
    let tokens: Vec<TokenTree> = argument.clone().into_iter().collect();
    match tokens.as_slice() {
        [TokenTree::Punct(punct), ..] if matches!(punct.as_char(), '\'' | '-') => false,
        [TokenTree::Literal(_), ..] => false,
        [TokenTree::Group(group)] => group.delimiter() != Delimiter::Brace,
        [TokenTree::Ident(_), TokenTree::Punct(punct), ..] => punct.as_char() != '=',
        tokens => !tokens.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ty(source: &str) -> Type {
        Type(source.parse().unwrap())
    }

    #[test]
    fn path_has_a_name_and_types() {
        for (source, name, types) in [
            ("Result<T, E>", "Result", &["T", "E"][..]),
            ("io::Result<()>", "Result", &["()"]),
            ("::std::vec::Vec::<u8>", "Vec", &["u8"]),
            ("Cow<'static, str>", "Cow", &["str"]),
            ("Array<3, { N }, -1, T>", "Array", &["T"]),
            ("Iter<Item = u8>", "Iter", &[]),
            ("<T as Trait<A, B>>::Output<C>", "Output", &["C"]),
            (
                "Result<Box<dyn Fn(A) -> B>, Map<K, V>>",
                "Result",
                &["Box<dyn Fn(A) -> B>", "Map<K, V>"],
            ),
            ("(Result<T, E>)", "Result", &["T", "E"]),
        ] {
            let path = ty(source).path().unwrap_or_else(|| panic!("{source} is a path"));
            assert_eq!(path.name, name, "{source}");
            let found: Vec<_> = path.types().map(|ty| ty.to_token_stream().to_string()).collect();
            let expected: Vec<_> =
                types.iter().map(|source| ty(source).to_token_stream().to_string()).collect();
            assert_eq!(found, expected, "{source}");
        }
    }

    #[test]
    fn other_types_are_not_paths() {
        for source in [
            "&T",
            "(A, B)",
            "[u8; 3]",
            "fn(A) -> B",
            "impl A",
            "dyn A",
            "!",
            "_",
            "*const T",
            "m!(x)",
        ] {
            assert!(ty(source).path().is_none(), "{source}");
        }
        assert!(ty("m!(x)").is_macro() && !ty("M").is_macro());
    }

    #[test]
    fn reference_is_found_through_groups() {
        assert_eq!(ty("&'a mut T").reference(), Some(true));
        assert_eq!(ty("(&T)").reference(), Some(false));
        assert_eq!(ty("(&T,)").reference(), None);
        assert_eq!(ty("Pin<&mut T>").reference(), None);
    }

    #[test]
    fn impl_trait_is_inferred() {
        let inferred = ty("Result<(impl A<B, C> + D, u8), Box<impl E>>").without_impl_trait();
        let expected = ty("Result<(_, u8), Box<_>>");
        assert_eq!(inferred.to_token_stream().to_string(), expected.to_token_stream().to_string());
    }
}
