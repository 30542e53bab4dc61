-- Replaces the reports of an instance, and deletes those older than an hour.
WITH deleted AS (
    DELETE FROM steadfast.breakers WHERE seen_at < now() - interval '1 hour'
)
INSERT INTO steadfast.breakers (policy, instance, seen_at, report)
SELECT g.policy, g.instance, now(), g.report::json
  FROM unnest($1::text[], $2::text[], $3::text[]) AS g (policy, instance, report)
 ORDER BY g.policy, g.instance
    ON CONFLICT (policy, instance) DO UPDATE SET seen_at = excluded.seen_at, report = excluded.report
