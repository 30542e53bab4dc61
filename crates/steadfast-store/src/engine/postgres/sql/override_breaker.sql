INSERT INTO steadfast.breaker_orders (policy, number, wish, at, actor, source)
VALUES ($1, nextval('steadfast.breaker_order'), $2, now(), $3, $4)
    ON CONFLICT (policy) DO UPDATE SET number = excluded.number, wish = excluded.wish,
       at = excluded.at, actor = excluded.actor, source = excluded.source
