INSERT INTO steadfast_workers (name, instance, seen_at, report) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (name, instance) DO UPDATE SET seen_at = excluded.seen_at, report = excluded.report
