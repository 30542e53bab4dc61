-- The latest finished tasks of the correlation id $1 before the key ($2, $3).
SELECT v.id, v.kind, NULL::text AS payload, v.queue, v.category, v.priority, v.policy, v.status,
       v.reason, v.attempts, v.rate_limit_waits, v.submitted_at, v.scheduled_at, v.last_attempt_at,
       v.ended_at, v.expires_at, v.last_class, v.last_message, NULL::text AS result,
       v.idempotency_key, v.correlation_id, v.hold_category,
       (SELECT t.counted_from FROM steadfast.tasks t WHERE t.id = v.id) AS counted_from
  FROM (SELECT e.id, e.ended_at
          FROM steadfast.tasks t
         CROSS JOIN LATERAL (SELECT s.id, s.ended_at FROM steadfast.ended s WHERE s.id = t.id OFFSET 0) AS e
         WHERE t.correlation_id = $1 AND (e.ended_at, e.id) < ($2, $3)
         ORDER BY e.ended_at DESC, e.id DESC LIMIT $4) AS d
 CROSS JOIN LATERAL (SELECT o.* FROM steadfast.overview o WHERE o.id = d.id OFFSET 0) AS v
 ORDER BY d.ended_at DESC, d.id DESC
