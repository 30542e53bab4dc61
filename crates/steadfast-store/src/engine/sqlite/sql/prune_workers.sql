DELETE FROM steadfast_workers WHERE seen_at < ?1
