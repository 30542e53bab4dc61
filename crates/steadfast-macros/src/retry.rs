//! Expansion of `#[retry]`.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

use crate::arguments::Arguments;
use crate::parameters::Parameters;
use crate::policy;
use crate::returned::Returned;
use crate::syntax::{Error, Errors, Function, Result, Signature, unraw};

/// The function with retries, or the unchanged function with all errors.
pub(crate) fn expand(parameters: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let parameters = errors.collect(Parameters::read(parameters));
    let function = errors.collect(Function::read(item.clone()));
    let expanded = parameters
        .zip(function)
        .and_then(|(parameters, function)| errors.collect(expand_function(function, &parameters)));
    match errors.finish(()) {
        Ok(()) => expanded.to_token_stream(),
        Err(error) => {
            let error = error.into_compile_error();
            quote!(#item #error)
        }
    }
}

fn expand_function(function: Function, parameters: &Parameters) -> Result<TokenStream> {
    let Function { attributes, visibility, mut signature, body } = function;
    if let Some(constant) = signature.constness() {
        return Err(Error::new(constant, "`#[retry]` cannot be used on a `const fn`"));
    }
    let returned = Returned::of(&signature)?;
    let is_async = signature.is_async() || returned.is_future;
    if !is_async {
        check_timeout(parameters)?;
    }
    let session = Session { parameters, returned, is_async, name: unraw(&signature.name) };
    let body = match session.returned.is_future {
        true => future_body(&session, &mut signature, body)?,
        false => session.statements(&mut signature, body),
    };
    Ok(quote!(#(#attributes)* #visibility #signature { #body }))
}

/// The body of a function that returns a future: the attempts run the `async` block in its last
/// expression. `async_trait` generates such functions.
fn future_body(
    session: &Session<'_>,
    signature: &mut Signature,
    body: TokenStream,
) -> Result<TokenStream> {
    let mut tokens: Vec<TokenTree> = body.into_iter().collect();
    let is_end = |token: &TokenTree| matches!(token, TokenTree::Punct(end) if end.as_char() == ';');
    let last = tokens.iter().rposition(is_end).map_or(0, |end| end + 1);
    let expression: Vec<TokenTree> = tokens.drain(last..).collect();
    let mut block = AsyncBlock { session, signature, is_replaced: false };
    let replaced = block.replace(expression);
    if block.is_replaced {
        return Ok(tokens.into_iter().chain(replaced).collect());
    }
    Err(Error::spanned(
        &signature.output,
        "the function returns a future, but its last expression is not an `async` block",
    ))
}

/// Rejects a timeout that could have no effect: a blocking function cannot be interrupted.
fn check_timeout(parameters: &Parameters) -> Result<()> {
    let timeout = parameters.fields.iter().find(|field| field.name == "attempt_timeout");
    match timeout {
        Some(timeout) if parameters.attempt.is_none() => Err(Error::new(
            timeout.name.span(),
            "`attempt_timeout` has no effect on a function that is not async: make it async, or \
             take the attempt (`attempt = attempt`) and check its deadline",
        )),
        _ => Ok(()),
    }
}

/// Replaces the first `async` block by a session that runs it.
struct AsyncBlock<'f> {
    session: &'f Session<'f>,
    signature: &'f mut Signature,
    is_replaced: bool,
}

impl AsyncBlock<'_> {
    fn replace(&mut self, tokens: Vec<TokenTree>) -> TokenStream {
        let mut replaced = TokenStream::new();
        // Whether `async` or `async move` is before the token.
        let mut is_async = false;
        for token in tokens {
            let is_keyword = |keyword: &str| matches!(&token, TokenTree::Ident(i) if i == keyword);
            let is_still_async = is_keyword("async") || is_async && is_keyword("move");
            let TokenTree::Group(group) = token else {
                is_async = is_still_async;
                replaced.extend([token]);
                continue;
            };
            let is_block = is_async && group.delimiter() == Delimiter::Brace;
            let inner = match (self.is_replaced, is_block) {
                (true, _) => group.stream(),
                (false, true) => {
                    self.is_replaced = true;
                    self.session.statements(self.signature, group.stream())
                }
                (false, false) => self.replace(group.stream().into_iter().collect()),
            };
            is_async = false;
            let mut same = Group::new(group.delimiter(), inner);
            same.set_span(group.span());
            replaced.extend([TokenTree::from(same)]);
        }
        replaced
    }
}

struct Session<'f> {
    parameters: &'f Parameters,
    returned: Returned,
    is_async: bool,
    /// The default name of the operation.
    name: String,
}

impl Session<'_> {
    /// The statements that run `body` in a session.
    fn statements(&self, signature: &mut Signature, mut body: TokenStream) -> TokenStream {
        let arguments = Arguments::take(signature, &mut body, self.is_async);
        let before = &arguments.before;
        let operation = self.operation(&arguments, &body);
        let Settings { setup, policy, calls } = self.settings();
        // The compiler reports problems of the error type where the type is written.
        let span = self.returned.span;
        let session = quote_spanned!(span=> ::steadfast::retry(#policy, #operation) #calls);
        let outcome = match self.is_async {
            true => quote_spanned!(span=> #session.await),
            false => quote_spanned!(span=> ::steadfast::__private::call(#session)),
        };
        let original = match self.returned.is_retry_error {
            true => TokenStream::new(),
            false => quote_spanned!(span=> .map_err(::steadfast::__private::FromGaveUp::original)),
        };
        let result = Ident::new("__result", Span::mixed_site());
        quote! {
            #setup
            #before
            let #result = #outcome #original;
            #result
        }
    }

    /// The closure that runs one attempt.
    fn operation(&self, arguments: &Arguments, body: &TokenStream) -> TokenStream {
        let Arguments { per_attempt, in_body, .. } = arguments;
        let returned = &self.returned.attempt;
        let attempt = self.parameters.attempt.as_ref();
        let attempt = attempt.map(|name| quote!(#name: ::steadfast::Attempt));
        if !self.is_async {
            return quote!(|#attempt| -> #returned { #per_attempt #in_body #body });
        }
        // An `async` block can declare its type only through a `return`.
        quote! {
            |#attempt| {
                #per_attempt
                async move {
                    if let ::core::option::Option::Some(never) =
                        ::core::option::Option::None::<#returned>
                    {
                        return never;
                    }
                    #in_body
                    #body
                }
            }
        }
    }

    fn settings(&self) -> Settings {
        let Parameters { name, facts, judge, environment, .. } = self.parameters;
        let Parameters { breaker, budget, instrument, .. } = self.parameters;
        let mut setup = TokenStream::new();
        let mut variable = |name: &str, ty: TokenStream, value: TokenStream| {
            let name = Ident::new(name, Span::mixed_site());
            setup.extend(quote!(let #name: #ty = #value;));
            name
        };
        let policy = policy::expression(self.parameters);
        let policy = variable("__policy", quote!(&::steadfast::Policy), policy);
        let own_name = &self.name;
        let name = name.as_ref().map_or_else(|| quote!(#own_name), |name| quote!(#name));
        let mut calls = quote!(.named(#name));
        if let Some(facts) = facts {
            calls.extend(quote!(.facts(#facts)));
        }
        if let Some(judge) = judge {
            calls.extend(quote!(.judge(#judge)));
        }
        if let Some(breaker) = breaker {
            let ty = quote!(&::steadfast::guard::Breaker);
            let breaker = variable("__breaker", ty, breaker.reference());
            calls.extend(quote!(.breaker(#breaker)));
        }
        if let Some(budget) = budget {
            let ty = quote!(&::steadfast::guard::Budget);
            let budget = variable("__budget", ty, budget.reference());
            calls.extend(quote!(.budget(#budget)));
        }
        // After the guards, so that it only observes attempts that they permit.
        if let Some(instrument) = instrument {
            // The compiler reports a wrong type where the expression is written.
            let span = Span::mixed_site().located_at(instrument.span());
            let instrument_variable = Ident::new("__instrument", span);
            setup.extend(quote!(let #instrument_variable = #instrument;));
            calls.extend(quote!(.instrument(#instrument_variable)));
        }
        if let Some(environment) = environment {
            calls.extend(quote!(.environment(#environment)));
        }
        Settings { setup, policy, calls }
    }
}

/// The code of the parameters.
struct Settings {
    /// Statements before the arguments are moved, while `self` is available.
    setup: TokenStream,
    /// The variable that refers to the policy.
    policy: Ident,
    /// The method calls that set the rest.
    calls: TokenStream,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(parameters: TokenStream) -> String {
        let function = quote!(
            fn save(row: u32) -> io::Result<()> {
                Ok(())
            }
        );
        expand(parameters, function).to_string()
    }

    /// I8: the operation has the function's name by default.
    #[test]
    fn operation_is_named_after_the_function() {
        assert!(expanded(quote!()).contains(r#". named ("save")"#));
        let named = expanded(quote!(name = "storage.save"));
        assert!(named.contains(r#". named ("storage.save")"#), "{named}");
    }

    /// I8: a policy of constants only is a constant and costs nothing at run time.
    #[test]
    fn constant_policy_is_not_built_at_run_time() {
        assert!(!expanded(quote!(max_attempts = 4, jitter = "full")).contains("LazyLock"));
        assert!(expanded(quote!(retry_on = ["5xx"])).contains("LazyLock"));
        assert!(expanded(quote!(policy = "sql")).contains("LazyLock"));
    }

    /// A rejected function stays in the output, so that its callers cause no further errors.
    #[test]
    fn rejected_function_stays_in_the_output() {
        let rejected = expanded(quote!(max_attemps = 4));
        assert!(rejected.starts_with("fn save (row : u32)"), "{rejected}");
        assert!(rejected.contains("compile_error"));
    }
}
