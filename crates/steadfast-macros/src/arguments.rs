//! The arguments of a function, for each attempt anew.
//!
//! A body runs once per attempt, so what it takes must be there more than once: a reference is
//! there as often as anyone likes, anything else is cloned. A `&mut` goes from attempt to
//! attempt; in async code, where an attempt is a future of its own, it is lent to each in turn.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Block, FnArg, Item, Macro, Pat, PatType, Path, Receiver, Signature, Type};

/// What has to be done about the arguments, and where.
#[derive(Default)]
pub(crate) struct Arguments {
    /// Before the session begins.
    pub(crate) before: TokenStream,
    /// Before each attempt.
    pub(crate) each: TokenStream,
    /// At the start of an attempt's own body.
    pub(crate) within: TokenStream,
}

/// How an argument gets from one attempt to the next.
#[derive(Clone, Copy)]
enum Way {
    /// It is a shared reference.
    Copied,
    /// It is a `&mut`, and attempts do not outlive the closure that begins them.
    Reborrowed,
    /// It is a `&mut`, and attempts are futures.
    Lent,
    /// It is anything else.
    Cloned,
}

impl Way {
    fn of(ty: &Type, is_async: bool) -> Self {
        match ty {
            Type::Group(group) => Self::of(&group.elem, is_async),
            Type::Paren(paren) => Self::of(&paren.elem, is_async),
            Type::Reference(reference) if reference.mutability.is_none() => Self::Copied,
            Type::Reference(_) if is_async => Self::Lent,
            Type::Reference(_) => Self::Reborrowed,
            _ => Self::Cloned,
        }
    }
}

impl Arguments {
    /// Takes the arguments of a function apart. The signature keeps plain names, the patterns
    /// move to where each attempt begins, and where `self` must be a variable it becomes one.
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
        let way = Way::of(&receiver.ty, is_async);
        // The closure sees a `self` that is a reference, as it sees any other variable.
        if let Way::Copied | Way::Reborrowed = way {
            return;
        }
        let this = Ident::new("__self", Span::mixed_site());
        let mutability = match receiver.reference {
            Some(_) => None,
            None => receiver.mutability.take(),
        };
        Renaming { to: &this }.visit_block_mut(body);
        let from = Ident::new("self", receiver.self_token.span);
        let attributes = Attributes::default();
        self.pass(way, &attributes, &quote!(#mutability #this), &from, receiver.self_token.span);
    }

    fn take_typed(&mut self, index: usize, typed: &mut PatType, is_async: bool) {
        let way = Way::of(&typed.ty, is_async);
        let (pattern, name) = match &mut *typed.pat {
            Pat::Wild(_) => return,
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                let pattern = quote!(#name);
                let is_mutable = name.mutability.take().is_some();
                // The closure sees it as it is.
                if matches!(way, Way::Copied) && !is_mutable {
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
        self.pass(way, &attributes, &pattern, &name, typed.ty.span());
    }

    /// Passes the variable `from` on as `pattern`. Whatever is to be said about it is said at `span`.
    fn pass(
        &mut self,
        way: Way,
        attributes: &Attributes,
        pattern: &TokenStream,
        from: &Ident,
        span: Span,
    ) {
        let Attributes { conditions, lints } = attributes;
        let binding = quote!(#(#conditions)* #(#lints)* let #pattern);
        match way {
            Way::Copied => self.each.extend(quote!(#binding = #from;)),
            Way::Reborrowed => self.each.extend(quote!(#binding = &mut *#from;)),
            Way::Cloned => {
                let from = located(from, span);
                let again = quote_spanned!(span=> ::steadfast::__private::Again::again(&#from));
                self.each.extend(quote!(#binding = #again;));
            }
            Way::Lent => {
                let lent = format_ident!("__lent_{from}", span = Span::mixed_site());
                let loan = format_ident!("__loan_{from}", span = Span::mixed_site());
                self.before.extend(quote! {
                    #(#conditions)* let #lent = ::steadfast::__private::Lent::new(#from);
                });
                self.each.extend(quote!(#(#conditions)* let mut #loan = #lent.borrow();));
                self.within.extend(quote!(#binding = &mut *#loan;));
            }
        }
    }
}

/// The attributes of an argument that hold for the variable that takes its place.
#[derive(Default)]
struct Attributes {
    conditions: Vec<Attribute>,
    lints: Vec<Attribute>,
}

impl Attributes {
    /// Lints go where the pattern goes; a condition holds in both places.
    fn take(of: &mut Vec<Attribute>) -> Self {
        const LINTS: [&str; 5] = ["allow", "expect", "warn", "deny", "forbid"];
        let is_lint =
            |attribute: &mut Attribute| LINTS.iter().any(|lint| attribute.path().is_ident(lint));
        let lints = of.extract_if(.., is_lint).collect();
        let conditions = of.iter().filter(|a| a.path().is_ident("cfg")).cloned().collect();
        Self { conditions, lints }
    }
}

/// The same variable, said to stand elsewhere.
fn located(name: &Ident, span: Span) -> Ident {
    let mut name = name.clone();
    name.set_span(name.span().located_at(span));
    name
}

/// Gives `self` another name, wherever it means the receiver.
struct Renaming<'n> {
    to: &'n Ident,
}

impl Renaming<'_> {
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

impl VisitMut for Renaming<'_> {
    fn visit_path_mut(&mut self, path: &mut Path) {
        if let Some(ident) = path.get_ident()
            && ident == "self"
        {
            *path = located(self.to, ident.span()).into();
            return;
        }
        visit_mut::visit_path_mut(self, path);
    }

    /// What a macro makes of its tokens is not known; mostly they are expressions.
    fn visit_macro_mut(&mut self, mac: &mut Macro) {
        mac.tokens = self.rename_tokens(std::mem::take(&mut mac.tokens));
    }

    /// An item within the body has a `self` of its own.
    fn visit_item_mut(&mut self, _: &mut Item) {}
}
