SELECT policy, number, wish, at, actor, origin FROM steadfast_breaker_orders ORDER BY policy
