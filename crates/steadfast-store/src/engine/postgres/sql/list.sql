-- Documents may be long, and are read in another statement once it is known how many fit.
SELECT v.id, v.kind, NULL::text AS payload, v.queue, v.category, v.priority, v.policy, v.status,
       v.reason, v.attempts, v.rate_limit_waits, v.submitted_at, v.scheduled_at, v.last_attempt_at,
       v.ended_at, v.expires_at, v.last_class, v.last_message, NULL::text AS result,
       v.idempotency_key, v.correlation_id, v.hold_category, d.first, d.second,
       (SELECT t.counted_from FROM steadfast.tasks t WHERE t.id = v.id) AS counted_from
  FROM (/* source */) AS d JOIN steadfast.overview v ON v.id = d.id
 WHERE ($4::uuid[] IS NULL OR v.id = ANY ($4))
   AND ($5::text IS NULL OR v.queue = $5)
   AND ($6::text IS NULL OR v.category = $6)
   AND ($7::text IS NULL OR v.kind = $7)
   AND ($8::text IS NULL OR v.last_class = $8)
   AND ($9::text IS NULL OR v.correlation_id = $9)
   AND ($10::timestamptz IS NULL OR v.scheduled_at <= $10)
   AND ($11::timestamptz IS NULL OR v.submitted_at >= $11)
   AND ($12::timestamptz IS NULL OR v.ended_at >= $12)
   AND ($13::text IS NULL OR v.status = $13)
 ORDER BY /* order */ LIMIT $3
