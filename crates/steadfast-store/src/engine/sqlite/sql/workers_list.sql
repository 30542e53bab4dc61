SELECT seen_at, report FROM steadfast_workers
WHERE seen_at > ?1
ORDER BY name, instance
LIMIT 1000
