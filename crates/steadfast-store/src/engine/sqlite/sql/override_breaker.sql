INSERT INTO steadfast_breaker_orders (policy, number, wish, at, actor, origin)
VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM steadfast_breaker_orders), ?2, ?3, ?4, ?5)
ON CONFLICT (policy) DO UPDATE SET number = excluded.number, wish = excluded.wish,
    at = excluded.at, actor = excluded.actor, origin = excluded.origin
