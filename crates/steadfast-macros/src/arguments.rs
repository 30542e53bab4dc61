//! The arguments of a function, passed to each attempt.
//!
//! The body runs once per attempt, so each attempt needs the arguments: shared references are copied,
//! other values are cloned. A `&mut` is passed from attempt to attempt; in async code, where each attempt
//! is a future, through a `BorrowSlot`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Block, FnArg, Item, Macro, Pat, PatType, Path, Receiver, Signature, Type};

/// The statements that pass the arguments.
#[derive(Default)]
pub(crate) struct Arguments {
    /// Before the session starts.
    pub(crate) before: TokenStream,
    /// Before each attempt.
    pub(crate) per_attempt: TokenStream,
    /// At the start of an attempt's body.
    pub(crate) in_body: TokenStream,
}

/// How an argument is passed to each attempt.
#[derive(Clone, Copy)]
enum Passing {
    /// A shared reference.
    Copied,
    /// A `&mut` in blocking code, where an attempt ends with its closure.
    Reborrowed,
    /// A `&mut` in async code, where an attempt is a future.
    Slotted,
    /// Any other type.
    Cloned,
}

impl Passing {
    fn of(ty: &Type, is_async: bool) -> Self {
        match ty {
            Type::Group(group) => Self::of(&group.elem, is_async),
            Type::Paren(paren) => Self::of(&paren.elem, is_async),
            Type::Reference(reference) if reference.mutability.is_none() => Self::Copied,
            Type::Reference(_) if is_async => Self::Slotted,
            Type::Reference(_) => Self::Reborrowed,
            _ => Self::Cloned,
        }
    }
}

impl Arguments {
    /// Takes the arguments out of a signature. The signature keeps plain names, the patterns move to the
    /// start of each attempt, and `self` becomes a variable where necessary.
    pub(crate) fn take(signature: &mut Signature, body: &mut Block, is_async: bool) -> Self {
        let mut arguments = Self::default();
        for (index, input) in signature.inputs.iter_mut().enumerate() {
            match input {
                FnArg::Receiver(receiver) => arguments.take_receiver(receiver, body, is_async),
                FnArg::Typed(typed) => arguments.take_typed(index, typed, is_async),
            }
        }
        arguments
    }

    fn take_receiver(&mut self, receiver: &mut Receiver, body: &mut Block, is_async: bool) {
        let passing = Passing::of(&receiver.ty, is_async);
        // The closure captures a `self` that is a reference like any other variable.
        if let Passing::Copied | Passing::Reborrowed = passing {
            return;
        }
        let this = Ident::new("__self", Span::mixed_site());
        let mutability = match receiver.reference {
            Some(_) => None,
            None => receiver.mutability.take(),
        };
        RenameSelf { to: &this }.visit_block_mut(body);
        let from = Ident::new("self", receiver.self_token.span);
        let attributes = Attributes::default();
        self.pass(
            passing,
            &attributes,
            &quote!(#mutability #this),
            &from,
            receiver.self_token.span,
        );
    }

    fn take_typed(&mut self, index: usize, typed: &mut PatType, is_async: bool) {
        let passing = Passing::of(&typed.ty, is_async);
        let (pattern, name) = match &mut *typed.pat {
            Pat::Wild(_) => return,
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                let pattern = quote!(#name);
                let is_mutable = name.mutability.take().is_some();
                // The closure captures it unchanged.
                if matches!(passing, Passing::Copied) && !is_mutable {
                    return;
                }
                (pattern, name.ident.clone())
            }
            _ => {
                let name = format_ident!("__argument{index}", span = Span::mixed_site());
                let pattern = std::mem::replace(&mut *typed.pat, syn::parse_quote!(#name));
                (quote!(#pattern), name)
            }
        };
        let attributes = Attributes::take(&mut typed.attrs);
        self.pass(passing, &attributes, &pattern, &name, typed.ty.span());
    }

    /// Passes the variable `from` as `pattern`. Errors are reported at `span`.
    fn pass(
        &mut self,
        passing: Passing,
        attributes: &Attributes,
        pattern: &TokenStream,
        from: &Ident,
        span: Span,
    ) {
        let Attributes { conditions, lints } = attributes;
        let binding = quote!(#(#conditions)* #(#lints)* let #pattern);
        match passing {
            Passing::Copied => self.per_attempt.extend(quote!(#binding = #from;)),
            Passing::Reborrowed => self.per_attempt.extend(quote!(#binding = &mut *#from;)),
            Passing::Cloned => {
                let from = located(from, span);
                let clone = quote_spanned! {span=>
                    ::steadfast::__private::CloneForAttempt::clone_for_attempt(&#from)
                };
                self.per_attempt.extend(quote!(#binding = #clone;));
            }
            Passing::Slotted => {
                let slot = format_ident!("__slot_{from}", span = Span::mixed_site());
                let borrow = format_ident!("__borrow_{from}", span = Span::mixed_site());
                self.before.extend(quote! {
                    #(#conditions)* let #slot = ::steadfast::__private::BorrowSlot::new(#from);
                });
                self.per_attempt.extend(quote!(#(#conditions)* let mut #borrow = #slot.borrow();));
                self.in_body.extend(quote!(#binding = &mut *#borrow;));
            }
        }
    }
}

/// The attributes of an argument that apply to the variable that replaces it.
#[derive(Default)]
struct Attributes {
    conditions: Vec<Attribute>,
    lints: Vec<Attribute>,
}

impl Attributes {
    /// Lints move with the pattern; a `cfg` applies to both.
    fn take(attributes: &mut Vec<Attribute>) -> Self {
        const LINTS: [&str; 5] = ["allow", "expect", "warn", "deny", "forbid"];
        let is_lint =
            |attribute: &mut Attribute| LINTS.iter().any(|lint| attribute.path().is_ident(lint));
        let lints = attributes.extract_if(.., is_lint).collect();
        let conditions = attributes.iter().filter(|a| a.path().is_ident("cfg")).cloned().collect();
        Self { conditions, lints }
    }
}

fn located(name: &Ident, span: Span) -> Ident {
    let mut name = name.clone();
    name.set_span(name.span().located_at(span));
    name
}

/// Renames `self` wherever it is the receiver.
struct RenameSelf<'n> {
    to: &'n Ident,
}

impl RenameSelf<'_> {
    fn rename_tokens(&self, tokens: TokenStream) -> TokenStream {
        use proc_macro2::TokenTree;
        let mut renamed = TokenStream::new();
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            let is_path =
                matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
            renamed.extend([match token {
                TokenTree::Ident(ident) if ident == "self" && !is_path => {
                    TokenTree::Ident(located(self.to, ident.span()))
                }
                TokenTree::Group(group) => {
                    let mut inner = proc_macro2::Group::new(
                        group.delimiter(),
                        self.rename_tokens(group.stream()),
                    );
                    inner.set_span(group.span());
                    TokenTree::Group(inner)
                }
                other => other,
            }]);
        }
        renamed
    }
}

impl VisitMut for RenameSelf<'_> {
    fn visit_path_mut(&mut self, path: &mut Path) {
        if let Some(ident) = path.get_ident()
            && ident == "self"
        {
            *path = located(self.to, ident.span()).into();
            return;
        }
        visit_mut::visit_path_mut(self, path);
    }

    /// The tokens of a macro are assumed to be expressions.
    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        mac.tokens = self.rename_tokens(std::mem::take(&mut mac.tokens));
    }

    /// An item in the body has its own `self`.
    fn visit_item_mut(&mut self, _: &mut Item) {}
}
