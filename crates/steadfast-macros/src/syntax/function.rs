//! Functions: their signature, and their body as tokens.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use super::parser::{Parser, comma_separated, stream};
use super::{Attribute, Error, Result, Type, ungrouped};

/// A free function or a method, with its body.
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: TokenStream,
    pub(crate) signature: Signature,
    /// The statements.
    pub(crate) body: TokenStream,
}

pub(crate) struct Signature {
    /// `const`, `async`, `unsafe`, `extern "C"` and `fn`.
    qualifiers: Vec<TokenTree>,
    pub(crate) name: Ident,
    generics: TokenStream,
    pub(crate) inputs: Vec<Input>,
    inputs_span: Span,
    /// `-> Type`, if it returns anything.
    pub(crate) output: TokenStream,
    pub(crate) returned: Option<Type>,
    conditions: TokenStream,
}

pub(crate) enum Input {
    Receiver(Receiver),
    Typed(TypedArgument),
}

/// `self`, in any of its forms.
pub(crate) struct Receiver {
    attributes: Vec<Attribute>,
    /// `&` and its lifetime.
    reference: TokenStream,
    mutability: Option<Ident>,
    pub(crate) name: Ident,
    ty: Option<Type>,
}

pub(crate) struct TypedArgument {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) pattern: TokenStream,
    pub(crate) ty: Type,
}

const QUALIFIERS: [&str; 6] = ["default", "const", "async", "safe", "unsafe", "extern"];

impl Function {
    pub(crate) fn read(tokens: TokenStream) -> Result<Self> {
        let tokens = ungrouped(tokens);
        let mut parser = Parser(&tokens);
        let mut attributes = Attribute::read_all(&mut parser);
        let visibility = visibility(&mut parser);
        let span = parser.span();
        let signature = Signature::read(&mut parser)
            .ok_or_else(|| Error::new(span, "`#[retry]` can only be used on a function"))?;
        let Some(body) = parser.0.first().and_then(block) else {
            return Err(Error::new(
                signature.name.span(),
                "`#[retry]` needs a function body: put it on the implementation",
            ));
        };
        let statements: Vec<TokenTree> = body.stream().into_iter().collect();
        let mut statements = Parser(&statements);
        attributes.extend(Attribute::read_inner(&mut statements));
        Ok(Self { attributes, visibility, signature, body: stream(statements.0) })
    }
}

/// `pub`, `pub(crate)`, or the group that a macro passes for it.
pub(super) fn visibility(parser: &mut Parser<'_>) -> TokenStream {
    if let Some(group) = parser.group(Delimiter::None) {
        return group.to_token_stream();
    }
    let Some(public) = parser.keyword("pub") else {
        return TokenStream::new();
    };
    // Other parentheses are a tuple: `pub (A, B)`.
    let is_scope = matches!(parser.0, [TokenTree::Group(group), ..] if is_scope(group));
    let scope = if is_scope { parser.token() } else { None };
    quote!(#public #scope)
}

fn is_scope(group: &Group) -> bool {
    let first = group.stream().into_iter().next();
    let names = ["crate", "self", "super", "in"];
    group.delimiter() == Delimiter::Parenthesis
        && matches!(first, Some(TokenTree::Ident(name)) if names.iter().any(|own| name == own))
}

/// The braces of a body, which a macro may have passed in a group.
fn block(token: &TokenTree) -> Option<Group> {
    let TokenTree::Group(group) = token else {
        return None;
    };
    match group.delimiter() {
        Delimiter::Brace => Some(group.clone()),
        Delimiter::None => match ungrouped(group.stream()).as_slice() {
            [inner] => block(inner),
            _ => None,
        },
        _ => None,
    }
}

impl Signature {
    fn read(parser: &mut Parser<'_>) -> Option<Self> {
        let mut qualifiers = Vec::new();
        while QUALIFIERS.iter().any(|qualifier| parser.is_keyword(qualifier)) {
            let is_extern = parser.is_keyword("extern");
            qualifiers.extend(parser.token().cloned());
            if is_extern && let [TokenTree::Literal(_), ..] = parser.0 {
                qualifiers.extend(parser.token().cloned());
            }
        }
        qualifiers.push(parser.keyword("fn")?.clone().into());
        let name = parser.ident()?.clone();
        let generics = stream(parser.angle_brackets().unwrap_or_default());
        let inputs = parser.group(Delimiter::Parenthesis)?;
        let ends = |rest: Parser<'_>| rest.is_punct(';') || rest.0.first().is_some_and(is_block);
        let start = parser.0;
        let returned = parser
            .operator(['-', '>'])
            .map(|_| Type::new(parser.until(|rest| rest.is_keyword("where") || ends(rest))));
        let output = stream(start.get(..start.len() - parser.0.len())?);
        let conditions = stream(parser.until(ends));
        let inputs_span = inputs.span();
        let tokens: Vec<TokenTree> = inputs.stream().into_iter().collect();
        let inputs =
            comma_separated(&tokens).into_iter().map(Input::read).collect::<Option<_>>()?;
        Some(Self { qualifiers, name, generics, inputs, inputs_span, output, returned, conditions })
    }

    fn qualifier(&self, name: &str) -> Option<&TokenTree> {
        self.qualifiers.iter().find(|token| matches!(token, TokenTree::Ident(own) if own == name))
    }

    /// The `const` of a `const fn`.
    pub(crate) fn constness(&self) -> Option<Span> {
        self.qualifier("const").map(TokenTree::span)
    }

    pub(crate) fn is_async(&self) -> bool {
        self.qualifier("async").is_some()
    }
}

fn is_block(token: &TokenTree) -> bool {
    block(token).is_some()
}

impl Input {
    fn read(tokens: &[TokenTree]) -> Option<Self> {
        let mut parser = Parser(tokens);
        let attributes = Attribute::read_all(&mut parser);
        if let Some(receiver) = Receiver::read(parser, &attributes) {
            return Some(Self::Receiver(receiver));
        }
        let pattern =
            stream(parser.until(|rest| rest.is_punct(':') && !rest.is_operator([':', ':'])));
        parser.punct(':')?;
        Some(Self::Typed(TypedArgument { attributes, pattern, ty: Type::new(parser.0) }))
    }
}

impl Receiver {
    fn read(mut parser: Parser<'_>, attributes: &[Attribute]) -> Option<Self> {
        let mut reference = TokenStream::new();
        if let Some(ampersand) = parser.punct('&') {
            let lifetime = stream(parser.lifetime().unwrap_or_default());
            reference = quote!(#ampersand #lifetime);
        }
        let mutability = parser.keyword("mut").cloned();
        let name = parser.keyword("self")?.clone();
        let ty = parser.punct(':').map(|_| Type::new(parser.0));
        Some(Self { attributes: attributes.to_vec(), reference, mutability, name, ty })
    }

    /// Whether a reference is mutable; nothing if it is not a reference.
    pub(crate) fn as_reference(&self) -> Option<bool> {
        match &self.ty {
            Some(ty) => ty.reference(),
            None if self.reference.is_empty() => None,
            None => Some(self.mutability.is_some()),
        }
    }

    /// Takes the `mut` of `mut self`.
    pub(crate) fn take_mutability(&mut self) -> Option<Ident> {
        if self.reference.is_empty() { self.mutability.take() } else { None }
    }
}

impl ToTokens for Signature {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { qualifiers, name, generics, inputs, output, conditions, .. } = self;
        let mut group = Group::new(Delimiter::Parenthesis, quote!(#(#inputs),*));
        group.set_span(self.inputs_span);
        tokens.extend(quote!(#(#qualifiers)* #name #generics #group #output #conditions));
    }
}

impl ToTokens for Input {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Receiver(Receiver { attributes, reference, mutability, name, ty }) => {
                let ty = ty.as_ref().map(|ty| quote!(: #ty));
                tokens.extend(quote!(#(#attributes)* #reference #mutability #name #ty));
            }
            Self::Typed(TypedArgument { attributes, pattern, ty }) => {
                tokens.extend(quote!(#(#attributes)* #pattern: #ty));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A signature that is written as it was read.
    #[test]
    fn signature_round_trips() {
        for source in [
            "fn a () -> Result<()> { }",
            "pub(crate) async unsafe extern \"C\" fn a<'a, T: Into<Vec<u8>>, const N: usize>(self: &'a mut Self, \
             (x, y): (u8, [T; N]), f: impl Fn(A, B) -> C) -> Result<Map<K, V>, E> where T: Fn() -> X, { a; b }",
            "fn a(&'a mut self, mut x: u8, std::ops::Range { start, .. }: Range<u8>) -> [u8; { 1 + 1 }] { }",
            "#[cfg(x)] #[doc = \"y\"] fn a(#[cfg(z)] _: T) -> E { }",
        ] {
            let tokens: TokenStream = source.parse().unwrap();
            let Function { attributes, visibility, signature, body } =
                Function::read(tokens.clone())
                    .unwrap_or_else(|error| panic!("{:?}", error.messages()));
            let written = quote!(#(#attributes)* #visibility #signature { #body });
            assert_eq!(written.to_string(), tokens.to_string());
        }
    }

    #[test]
    fn inner_attributes_become_outer_ones() {
        let function = Function::read(quote!(
            fn a() -> R {
                #![allow(x)]
                1
            }
        ))
        .unwrap();
        assert_eq!(function.body.to_string(), "1");
        assert!(function.attributes[0].is("allow"));
    }
}
