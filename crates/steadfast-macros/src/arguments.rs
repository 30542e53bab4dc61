//! The arguments of a function, passed to each attempt.
//!
//! The body runs once per attempt, so each attempt needs the arguments: shared references are copied,
//! other values are cloned. A `&mut` is passed from attempt to attempt; in async code, where each attempt
//! is a future, through a `BorrowSlot`.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};

use crate::syntax::{Attribute, Input, Receiver, Signature, TypedArgument};

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
    /// `reference` is whether a reference is mutable; nothing for other types.
    fn of(reference: Option<bool>, is_async: bool) -> Self {
        match reference {
            Some(false) => Self::Copied,
            Some(true) if is_async => Self::Slotted,
            Some(true) => Self::Reborrowed,
            None => Self::Cloned,
        }
    }
}

impl Arguments {
    /// Takes the arguments out of a signature. The signature keeps plain names, the patterns move to the
    /// start of each attempt, and `self` becomes a variable where necessary.
    pub(crate) fn take(signature: &mut Signature, body: &mut TokenStream, is_async: bool) -> Self {
        let mut arguments = Self::default();
        for (index, input) in signature.inputs.iter_mut().enumerate() {
            match input {
                Input::Receiver(receiver) => arguments.take_receiver(receiver, body, is_async),
                Input::Typed(typed) => arguments.take_typed(index, typed, is_async),
            }
        }
        arguments
    }

    fn take_receiver(&mut self, receiver: &mut Receiver, body: &mut TokenStream, is_async: bool) {
        let passing = Passing::of(receiver.as_reference(), is_async);
        // The closure captures a `self` that is a reference like any other variable.
        if let Passing::Copied | Passing::Reborrowed = passing {
            return;
        }
        let this = Ident::new("__self", Span::mixed_site());
        let mutability = receiver.take_mutability();
        *body = rename_self(std::mem::take(body), &this);
        let attributes = Attributes::default();
        let span = receiver.name.span();
        self.pass(passing, &attributes, &quote!(#mutability #this), &receiver.name, span);
    }

    fn take_typed(&mut self, index: usize, typed: &mut TypedArgument, is_async: bool) {
        let passing = Passing::of(typed.ty.reference(), is_async);
        let pattern = std::mem::take(&mut typed.pattern);
        let (name, is_mutable) = match binding(&pattern) {
            Binding::None => {
                typed.pattern = pattern;
                return;
            }
            Binding::Name { name, is_mutable } => (name, is_mutable),
            Binding::Pattern => {
                (format_ident!("__argument{index}", span = Span::mixed_site()), true)
            }
        };
        typed.pattern = quote!(#name);
        // The closure captures it unchanged.
        if matches!(passing, Passing::Copied) && !is_mutable {
            return;
        }
        let attributes = Attributes::take(&mut typed.attributes);
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
        const LINTS: &[&str] = &["allow", "expect", "warn", "deny", "forbid"];
        let lints = attributes.extract_if(.., |attribute| attribute.is_any(LINTS)).collect();
        let conditions = attributes.iter().filter(|a| a.is("cfg")).cloned().collect();
        Self { conditions, lints }
    }
}

fn located(name: &Ident, span: Span) -> Ident {
    let mut name = name.clone();
    name.set_span(name.span().located_at(span));
    name
}

/// What the pattern of an argument binds.
enum Binding {
    /// `_`
    None,
    /// `name` or `mut name`
    Name { name: Ident, is_mutable: bool },
    /// Any other pattern.
    Pattern,
}

fn binding(pattern: &TokenStream) -> Binding {
    let tokens: Vec<TokenTree> = pattern.clone().into_iter().collect();
    match tokens.as_slice() {
        [TokenTree::Ident(name)] if name == "_" => Binding::None,
        [TokenTree::Ident(name)] => Binding::Name { name: name.clone(), is_mutable: false },
        [TokenTree::Ident(word), TokenTree::Ident(name)] if word == "mut" => {
            Binding::Name { name: name.clone(), is_mutable: true }
        }
        _ => Binding::Pattern,
    }
}

/// The words that start an item, which has its own `self`.
const ITEMS: [&str; 4] = ["fn", "impl", "trait", "mod"];

/// Renames `self` wherever it is the receiver. The tokens of a macro are assumed to be expressions.
fn rename_self(tokens: TokenStream, to: &Ident) -> TokenStream {
    let mut renamed = TokenStream::new();
    let mut tokens = tokens.into_iter().peekable();
    let mut is_in_item = false;
    while let Some(token) = tokens.next() {
        // In a path, `self` is a module.
        let is_path =
            matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == ':');
        renamed.extend([match token {
            TokenTree::Ident(ident) if ident == "self" && !is_path => {
                TokenTree::Ident(located(to, ident.span()))
            }
            TokenTree::Ident(ident) if is_item(&ident, tokens.peek()) => {
                is_in_item = true;
                ident.into()
            }
            TokenTree::Punct(end) if end.as_char() == ';' => {
                is_in_item = false;
                end.into()
            }
            TokenTree::Group(group) if is_in_item => {
                is_in_item = group.delimiter() != Delimiter::Brace;
                group.into()
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), rename_self(group.stream(), to));
                inner.set_span(group.span());
                inner.into()
            }
            other => other,
        }]);
    }
    renamed
}

/// Whether an item starts here. `fn` without a name is the type of a pointer.
fn is_item(word: &Ident, next: Option<&TokenTree>) -> bool {
    let is_word = ITEMS.iter().any(|item| word == item);
    is_word && (word == "impl" || matches!(next, Some(TokenTree::Ident(_))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// I8: an item in the body has its own `self`.
    #[test]
    fn self_is_renamed_outside_of_items() {
        let body = quote! {
            fn inner(&self) -> u8 { self.a }
            impl A for B { fn c(self) { self.d } }
            let f: fn(u8) -> u8 = self::g;
            vec![self.e, { self }];
            self.call(|| self.h)
        };
        let expected = quote! {
            fn inner(&self) -> u8 { self.a }
            impl A for B { fn c(self) { self.d } }
            let f: fn(u8) -> u8 = self::g;
            vec![this.e, { this }];
            this.call(|| this.h)
        };
        let this = Ident::new("this", Span::call_site());
        assert_eq!(rename_self(body, &this).to_string(), expected.to_string());
    }
}
