SELECT policy, number, wish, at, actor, source FROM steadfast.breaker_orders ORDER BY policy
