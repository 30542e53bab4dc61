INSERT INTO steadfast_breakers (policy, instance, seen_at, report)
SELECT value ->> 0, value ->> 1, ?2, value ->> 2 FROM json_each(?1) WHERE true
ON CONFLICT (policy, instance) DO UPDATE SET seen_at = excluded.seen_at, report = excluded.report
