//! Functions and methods of every shape, with arguments of every sort (I8).

use std::fmt::{Debug, Display};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use steadfast::{RetryError, retry};

use crate::{Flaky, refused, timed};

/// A value that counts how often it was cloned.
struct CountsClones(Arc<AtomicU32>);

impl Clone for CountsClones {
    fn clone(&self) -> Self {
        self.0.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(&self.0))
    }
}

#[retry(backoff_type = "immediate")]
fn owned(service: &Flaky, counted: CountsClones, text: String) -> io::Result<String> {
    service.ask()?;
    drop(counted);
    Ok(text + "!")
}

/// Arguments that are not references are cloned, once for each attempt.
#[test]
fn owned_arguments_are_cloned_for_each_attempt() {
    let clones = Arc::new(AtomicU32::new(0));
    let said =
        owned(&Flaky::failing(2), CountsClones(Arc::clone(&clones)), "done".to_owned()).unwrap();
    assert_eq!(said, "done!");
    assert_eq!(clones.load(Ordering::Relaxed), 3);
}

#[retry(backoff_type = "immediate")]
fn patterns(
    service: &Flaky,
    (a, mut b): (u32, u32),
    [first, ..]: &[u32; 2],
    mut text: &str,
    mut list: Vec<u32>,
    _: Rc<()>,
    _unused: Rc<()>,
) -> io::Result<(u32, String, Vec<u32>)> {
    b += a;
    text = &text[1..];
    list.push(*first);
    service.ask()?;
    Ok((b, text.to_owned(), list))
}

/// Patterns take each attempt's own values apart: no attempt sees what another changed.
#[test]
fn patterns_in_arguments() {
    let nothing = Rc::new(());
    let (b, text, list) =
        patterns(&Flaky::failing(2), (1, 2), &[7, 8], "xyz", vec![1], nothing.clone(), nothing)
            .unwrap();
    assert_eq!((b, text.as_str(), list), (3, "yz", vec![1, 7]));
}

#[retry(backoff_type = "immediate")]
fn collect(service: &Flaky, seen: &mut Vec<u32>, (last, _): &mut (u32, u32)) -> io::Result<usize> {
    seen.push(1);
    *last += 1;
    service.ask()?;
    let mine = seen;
    Ok(mine.len())
}

#[retry(backoff_type = "immediate")]
async fn collect_async(
    service: &Flaky,
    seen: &mut Vec<u32>,
    (last, _): &mut (u32, u32),
    text: &mut str,
) -> io::Result<usize> {
    seen.push(1);
    *last += 1;
    text.make_ascii_uppercase();
    tokio::task::yield_now().await;
    service.ask()?;
    let mine = seen;
    Ok(mine.len())
}

/// A `&mut` goes from attempt to attempt.
#[tokio::test]
async fn mutable_arguments() {
    let (mut seen, mut pair) = (Vec::new(), (0, 0));
    assert_eq!(collect(&Flaky::failing(2), &mut seen, &mut pair).unwrap(), 3);
    assert_eq!(pair, (3, 0));
    let mut text = "abc".to_owned();
    let collected = collect_async(&Flaky::failing(2), &mut seen, &mut pair, &mut text).await;
    assert_eq!(collected.unwrap(), 6);
    assert_eq!((pair, text.as_str()), ((6, 0), "ABC"));
}

#[retry(backoff_type = "immediate", attempt_timeout = "1s")]
async fn slow_at_first(seen: &mut Vec<u32>) -> io::Result<usize> {
    seen.push(1);
    if seen.len() < 3 {
        std::future::pending::<()>().await;
    }
    Ok(seen.len())
}

/// An attempt that times out gives back what it was lent.
#[tokio::test(start_paused = true)]
async fn mutable_arguments_survive_a_timeout() {
    let mut seen = Vec::new();
    let (length, _) = timed(slow_at_first(&mut seen)).await;
    assert_eq!(length.unwrap(), 3);
}

#[derive(Clone)]
struct Counter {
    count: u32,
    name: &'static str,
}

impl Counter {
    const ENOUGH: u32 = 3;

    fn check(&self) -> io::Result<u32> {
        if self.count < Self::ENOUGH { Err(refused()) } else { Ok(self.count) }
    }

    #[retry(backoff_type = "immediate")]
    fn by_reference(&self, service: &Flaky) -> io::Result<&'static str> {
        service.ask()?;
        Ok(self.name)
    }

    #[retry(backoff_type = "immediate")]
    async fn by_reference_async(&self, service: &Flaky) -> io::Result<&str> {
        service.ask()?;
        Ok(self.name)
    }

    #[retry(backoff_type = "immediate")]
    fn by_mutable(&mut self) -> io::Result<u32> {
        self.count += 1;
        self.check()
    }

    #[retry(backoff_type = "immediate")]
    async fn by_mutable_async(&mut self) -> Result<String, RetryError<io::Error>> {
        struct Inner;
        impl Inner {
            fn inner(&self) -> u32 {
                let _ = self;
                1
            }
        }
        self.count += Inner.inner();
        tokio::task::yield_now().await;
        let mut add = |more| self.count += more;
        add(0);
        self.check()?;
        Ok(format!("{} {}", self.name, { self.count }))
    }

    #[retry(backoff_type = "immediate")]
    fn by_value(mut self, service: &Flaky) -> io::Result<u32> {
        self.count += 1;
        service.ask()?;
        Ok(self.count)
    }

    #[retry(backoff_type = "immediate")]
    async fn by_arc(self: Arc<Self>, service: &Flaky) -> io::Result<usize> {
        service.ask()?;
        Ok(Arc::strong_count(&self))
    }

    #[retry(backoff_type = "immediate")]
    #[allow(clippy::needless_arbitrary_self_type)]
    async fn by_typed_reference(self: &mut Self) -> io::Result<u32> {
        self.count += 1;
        self.check()
    }
}

/// I8: every receiver.
#[tokio::test]
async fn methods() {
    let new = || Counter { count: 0, name: "n" };
    assert_eq!(new().by_reference(&Flaky::failing(2)).unwrap(), "n");
    assert_eq!(new().by_reference_async(&Flaky::failing(2)).await.unwrap(), "n");
    assert_eq!(new().by_mutable().unwrap(), 3);
    assert_eq!(new().by_mutable_async().await.unwrap(), "n 3");
    assert_eq!(new().by_value(&Flaky::failing(2)).unwrap(), 1, "each attempt has its own");
    assert_eq!(Arc::new(new()).by_arc(&Flaky::failing(2)).await.unwrap(), 2);
    assert_eq!(new().by_typed_reference().await.unwrap(), 3);
}

#[retry(backoff_type = "immediate")]
fn generic<'a, T, const N: usize>(
    service: &Flaky,
    items: &'a [T; N],
    show: impl Fn(&T) -> String + Clone,
) -> io::Result<(&'a T, String)>
where
    T: Debug,
{
    service.ask()?;
    let [first, ..] = &items[..] else { return Err(refused()) };
    Ok((first, show(first)))
}

#[retry(backoff_type = "immediate")]
async fn generic_async<'a, T: ?Sized + Display + Sync>(
    service: &Flaky,
    item: &'a T,
    suffix: impl Into<String> + Clone + Send,
) -> io::Result<(&'a T, String)> {
    service.ask()?;
    Ok((item, format!("{item}{}", suffix.into())))
}

/// I8: type parameters, lifetimes, constants, `impl Trait` and where clauses.
#[tokio::test]
async fn generics() {
    let items = [1, 2];
    let (first, shown) = generic(&Flaky::failing(2), &items, |item| format!("{item}.")).unwrap();
    assert_eq!((first, shown.as_str()), (&items[0], "1."));
    let text = String::from("text");
    let (same, shown) = generic_async(&Flaky::failing(2), text.as_str(), "!").await.unwrap();
    assert_eq!((same, shown.as_str()), ("text", "text!"));
}

trait Fetch {
    async fn fetch(&self, path: &str) -> io::Result<String>;

    fn fetch_sending(&self, path: String) -> impl Future<Output = io::Result<String>> + Send;

    /// A method with a body of its own.
    #[retry(backoff_type = "immediate")]
    async fn fetch_twice(&self, path: &str) -> io::Result<String> {
        Ok(self.fetch(path).await? + &self.fetch(path).await?)
    }
}

#[allow(clippy::manual_async_fn, reason = "that is what is tried")]
impl Fetch for Flaky {
    #[retry(backoff_type = "immediate")]
    async fn fetch(&self, path: &str) -> io::Result<String> {
        let call = self.ask()?;
        Ok(format!("{path}{call}"))
    }

    #[retry(backoff_type = "immediate")]
    fn fetch_sending(&self, path: String) -> impl Future<Output = io::Result<String>> + Send {
        async move {
            let call = self.ask()?;
            Ok(path + &call.to_string())
        }
    }
}

/// I8: methods of traits.
#[tokio::test]
async fn trait_methods() {
    assert_eq!(Flaky::failing(2).fetch("/").await.unwrap(), "/3");
    assert_eq!(Flaky::failing(2).fetch_sending("/".to_owned()).await.unwrap(), "/3");
    assert_eq!(Flaky::failing(1).fetch_twice("/").await.unwrap(), "/2/3");
}

#[async_trait::async_trait]
trait Store: Send + Sync {
    async fn get(&self, key: String) -> io::Result<String>;
    async fn put(&mut self, key: &str, value: &mut String) -> io::Result<u32>;
}

struct Remote {
    service: Flaky,
    writes: u32,
}

#[async_trait::async_trait]
impl Store for Remote {
    #[retry(backoff_type = "immediate")]
    async fn get(&self, key: String) -> io::Result<String> {
        let call = self.service.ask()?;
        Ok(key + &call.to_string())
    }

    #[retry(backoff_type = "immediate")]
    async fn put(&mut self, key: &str, value: &mut String) -> io::Result<u32> {
        self.writes += 1;
        value.push_str(key);
        self.service.ask()?;
        Ok(self.writes)
    }
}

/// I8: methods of traits that `async_trait` has been at.
#[tokio::test]
async fn boxed_trait_methods() {
    let store: Box<dyn Store> = Box::new(Remote { service: Flaky::failing(2), writes: 0 });
    assert_eq!(store.get("k".to_owned()).await.unwrap(), "k3");
    let mut store: Box<dyn Store> = Box::new(Remote { service: Flaky::failing(2), writes: 0 });
    let mut value = String::new();
    assert_eq!(store.put("k", &mut value).await.unwrap(), 3);
    assert_eq!(value, "kkk");
}

#[retry(backoff_type = "immediate")]
fn boxed<'f>(
    service: &'f Flaky,
    text: String,
) -> Pin<Box<dyn Future<Output = Result<String, RetryError<io::Error>>> + Send + 'f>> {
    let wanted = 3;
    Box::pin(async move {
        let call = service.ask()?;
        if call == wanted { Ok(text) } else { Err(refused()) }
    })
}

/// A plain function that returns a future: what its last expression holds is tried.
#[tokio::test]
async fn boxed_futures() {
    assert_eq!(boxed(&Flaky::failing(2), "text".to_owned()).await.unwrap(), "text");
    assert_eq!(boxed(&Flaky::down(), String::new()).await.unwrap_err().attempts(), 3);
}

/// The futures go wherever the arguments can go.
#[test]
fn futures_can_be_sent() {
    fn sent<T: Send>(_: T) {}
    let (service, mut seen) = (Flaky::down(), Vec::new());
    let mut counter = Counter { count: 0, name: "" };
    sent(collect_async(&service, &mut seen, &mut (0, 0), &mut String::new()));
    sent(counter.by_mutable_async());
    sent(service.fetch("/"));
    sent(generic_async(&service, "", ""));
}

/// Values that come through a macro, and names that are keywords.
macro_rules! made_by_a_macro {
    ($name:ident, $argument:ident, $delay:literal, $attempts:expr) => {
        #[retry(backoff_type = "immediate", max_delay = $delay, max_attempts = $attempts)]
        fn $name($argument: Flaky2<'_>) -> io::Result<u32> {
            let value = $argument.0.ask()?;
            Ok(value + 5)
        }
    };
}

#[derive(Clone, Copy)]
struct Flaky2<'f>(&'f Flaky);

made_by_a_macro!(r#match, r#fn, "10s", 1 + 1);

#[test]
fn functions_generated_by_macros_work() {
    assert_eq!(r#match(Flaky2(&Flaky::failing(1))).unwrap(), 7);
    assert!(r#match(Flaky2(&Flaky::failing(2))).is_err());
}

/// What stands in and around the function stays there.
#[retry(backoff_type = "immediate")]
#[must_use = "it says so"]
fn with_attributes(
    #[expect(unused_variables)] unused: u32,
    #[cfg(any())] gone: u32,
) -> io::Result<u32> {
    #![allow(clippy::let_and_return)]
    const LOCAL: u32 = 4;
    let local = LOCAL;
    local_of(local)
}

fn local_of(value: u32) -> io::Result<u32> {
    Ok(value)
}

#[test]
fn attributes_are_kept() {
    assert_eq!(with_attributes(1).unwrap(), 4);
}
