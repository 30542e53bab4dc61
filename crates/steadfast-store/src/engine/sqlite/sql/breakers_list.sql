SELECT seen_at, report FROM steadfast_breakers WHERE seen_at > ?1 ORDER BY policy, instance
