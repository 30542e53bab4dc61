//! One operation, both drivers (I1): each in a world of its own, with the same said about it.

/// Runs an operation, a function of `&Attempt`, through the driver that blocks and through the
/// one that is a future. Gives how each ended, and the world it ran in.
macro_rules! both {
    ($policy:expr, $operation:expr $(, $method:ident($($argument:expr),*))* $(,)?) => {{
        let operation = $operation;
        let world = $crate::world::World::new([]);
        let end = ::steadfast::retry($policy, |attempt: ::steadfast::Attempt| operation(&attempt))
            .environment(world.clone())
            $(.$method($($argument),*))*
            .call();
        let blocking = (end, world);
        let world = $crate::world::World::new([]);
        let session = ::steadfast::retry($policy, |attempt: ::steadfast::Attempt| {
            let operation = &operation;
            async move { operation(&attempt) }
        })
        .environment(world.clone())
        $(.$method($($argument),*))*;
        let end = world.run(::std::future::IntoFuture::into_future(session));
        [blocking, (end, world)]
    }};
}

pub(crate) use both;
