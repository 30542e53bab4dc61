-- The same where most tasks may not match. Each of a bounded number is probed first: given a rare kind, the
-- planner would search all tasks for it.
WITH d AS MATERIALIZED (
    SELECT d.* FROM (/* source */) AS d
     CROSS JOIN LATERAL (
        SELECT FROM steadfast.tasks t
         WHERE t.id = d.id
           AND ($3::text IS NULL OR t.queue = (SELECT q.id FROM steadfast.queues q WHERE q.name = $3))
           AND ($4::text IS NULL OR t.category = $4)
           AND ($5::text IS NULL OR t.kind = $5)
           AND ($6::text IS NULL OR t.last_class = $6)
           AND ($8::timestamptz IS NULL OR t.scheduled_at <= $8)
           AND ($9::timestamptz IS NULL OR t.submitted_at >= $9)
           AND ($10::timestamptz IS NULL
                OR EXISTS (SELECT FROM steadfast.ended e WHERE e.id = t.id AND e.ended_at >= $10))
        OFFSET 0
     ) AS fits
     ORDER BY /* order */ LIMIT $13
)
SELECT v.id, v.kind, NULL::text AS payload, v.queue, v.category, v.priority, v.policy, v.status,
       v.reason, v.attempts, v.rate_limit_waits, v.submitted_at, v.scheduled_at, v.last_attempt_at,
       v.ended_at, v.expires_at, v.last_class, v.last_message, NULL::text AS result,
       v.idempotency_key, v.correlation_id, v.hold_category, d.first, d.second,
       (SELECT t.counted_from FROM steadfast.tasks t WHERE t.id = v.id) AS counted_from
  FROM d CROSS JOIN LATERAL (SELECT o.* FROM steadfast.overview o WHERE o.id = d.id OFFSET 0) AS v
 ORDER BY /* order */
