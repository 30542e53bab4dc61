INSERT INTO steadfast.workers (name, instance, seen_at, report) VALUES ($1, $2, now(), $3::json)
    ON CONFLICT (name, instance) DO UPDATE SET seen_at = excluded.seen_at, report = excluded.report
