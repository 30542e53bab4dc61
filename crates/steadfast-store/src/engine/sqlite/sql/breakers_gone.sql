DELETE FROM steadfast_breakers WHERE seen_at < ?1
