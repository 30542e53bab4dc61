//! Enums and structs.

use proc_macro2::{Delimiter, Group, Ident, Literal, TokenStream, TokenTree};
use quote::ToTokens;

use super::function::visibility;
use super::parser::{Parser, comma_separated, split_at_commas, stream};
use super::{Attribute, Error, Generics, Result, Type, ungrouped};

/// An enum or a struct.
pub(crate) struct Item {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) name: Ident,
    pub(crate) generics: Generics,
    pub(crate) shape: Shape,
}

pub(crate) enum Shape {
    Struct(Fields),
    Enum(Vec<Variant>),
}

pub(crate) struct Variant {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) name: Ident,
    pub(crate) fields: Fields,
}

#[derive(Default)]
pub(crate) struct Fields {
    pub(crate) all: Vec<Field>,
    /// Whether they have names, numbers, or neither.
    pub(crate) delimiter: Option<Delimiter>,
}

pub(crate) struct Field {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) member: Member,
    pub(crate) ty: Type,
    tokens: TokenStream,
}

/// The name or the number of a field.
#[derive(Clone, PartialEq)]
pub(crate) enum Member {
    Named(Ident),
    Unnamed(usize),
}

impl Item {
    pub(crate) fn read(tokens: TokenStream) -> Result<Self> {
        let tokens = ungrouped(tokens);
        let mut parser = Parser(&tokens);
        let attributes = Attribute::read_all(&mut parser);
        visibility(&mut parser);
        let span = parser.span();
        if parser.is_keyword("union") {
            let message = "`Fault` can be derived for enums and structs, not for unions";
            return Err(Error::new(span, message));
        }
        Self::read_body(parser, attributes)
            .ok_or_else(|| Error::new(span, "expected an enum or a struct"))
    }

    fn read_body(mut parser: Parser<'_>, attributes: Vec<Attribute>) -> Option<Self> {
        let is_enum = parser.keyword("enum").is_some();
        if !is_enum {
            parser.keyword("struct")?;
        }
        let name = parser.ident()?.clone();
        let mut generics = Generics::read(&mut parser)?;
        let ends = |rest: Parser<'_>| rest.is_punct(';') || is_braces(rest);
        generics.read_conditions(&mut parser, ends);
        if is_enum {
            let variants = parser.group(Delimiter::Brace)?.stream();
            let tokens: Vec<TokenTree> = variants.into_iter().collect();
            let variants = split_at_commas(&tokens).into_iter().map(Variant::read);
            let shape = Shape::Enum(variants.collect::<Option<_>>()?);
            return Some(Self { attributes, name, generics, shape });
        }
        let fields = Fields::read(&mut parser)?;
        // A tuple struct has its conditions after the fields.
        generics.read_conditions(&mut parser, ends);
        Some(Self { attributes, name, generics, shape: Shape::Struct(fields) })
    }
}

fn is_braces(rest: Parser<'_>) -> bool {
    matches!(rest.0, [TokenTree::Group(group), ..] if group.delimiter() == Delimiter::Brace)
}

impl Variant {
    fn read(tokens: &[TokenTree]) -> Option<Self> {
        let mut parser = Parser(tokens);
        let attributes = Attribute::read_all(&mut parser);
        let name = parser.ident()?.clone();
        Some(Self { attributes, name, fields: Fields::read(&mut parser)? })
    }
}

impl Fields {
    fn read(parser: &mut Parser<'_>) -> Option<Self> {
        let braces = parser.group(Delimiter::Brace);
        let Some(group) = braces.or_else(|| parser.group(Delimiter::Parenthesis)) else {
            return Some(Self::default());
        };
        let all = Self::read_all(group)?;
        Some(Self { all, delimiter: Some(group.delimiter()) })
    }

    fn read_all(group: &Group) -> Option<Vec<Field>> {
        let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
        let is_named = group.delimiter() == Delimiter::Brace;
        let fields = comma_separated(&tokens).into_iter().enumerate();
        fields.map(|(index, tokens)| Field::read(tokens, (!is_named).then_some(index))).collect()
    }
}

impl Field {
    /// `index` is the number of a field without a name.
    fn read(tokens: &[TokenTree], index: Option<usize>) -> Option<Self> {
        let mut parser = Parser(tokens);
        let attributes = Attribute::read_all(&mut parser);
        // A type may be in an invisible group, too, but then nothing follows it.
        if parser.0.len() > 1 {
            visibility(&mut parser);
        }
        let member = match index {
            Some(index) => Member::Unnamed(index),
            None => {
                let name = parser.ident()?.clone();
                parser.punct(':')?;
                Member::Named(name)
            }
        };
        Some(Self { attributes, member, ty: Type::new(parser.0), tokens: stream(tokens) })
    }
}

impl ToTokens for Field {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.tokens.to_tokens(tokens);
    }
}

impl ToTokens for Member {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Named(name) => name.to_tokens(tokens),
            Self::Unnamed(index) => Literal::usize_unsuffixed(*index).to_tokens(tokens),
        }
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    fn shown(fields: &Fields) -> Vec<String> {
        let field = |Field { member, ty, .. }: &Field| quote!(#member #ty).to_string();
        fields.all.iter().map(field).collect()
    }

    #[test]
    fn struct_has_fields_and_conditions() {
        let item = Item::read(quote! {
            #[doc = "x"]
            pub(crate) struct Wrong<'a, T>(pub Vec<(T, u8)>, #[source] pub(super) &'a E,) where T: Map<K, V>;
        })
        .unwrap();
        assert_eq!(item.name, "Wrong");
        assert_eq!(item.generics.conditions.len(), 1);
        let Shape::Struct(fields) = &item.shape else { panic!("a struct") };
        assert_eq!(shown(fields), ["0 Vec < (T , u8) >", "1 & 'a E"]);
        assert!(fields.all[1].attributes[0].is("source"));
    }

    #[test]
    fn enum_has_variants() {
        let item = Item::read(quote! {
            enum Wrong<T> where T: A { Unit = 1 << 3, #[x] Named { pub a: Map<K, V>, r#type: T }, Tuple(pub (T, T)) }
        })
        .unwrap();
        let Shape::Enum(variants) = &item.shape else { panic!("an enum") };
        let names: Vec<_> = variants.iter().map(|variant| variant.name.to_string()).collect();
        assert_eq!(names, ["Unit", "Named", "Tuple"]);
        assert_eq!(shown(&variants[1].fields), ["a Map < K , V >", "r#type T"]);
        assert_eq!(variants[0].fields.delimiter, None);
    }
}
