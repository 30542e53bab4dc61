SELECT seen_at, report::text AS report FROM steadfast.workers
 WHERE seen_at > now() - $1::bigint * interval '1 microsecond' ORDER BY name, instance LIMIT 1000
