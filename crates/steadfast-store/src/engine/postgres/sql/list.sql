-- Documents may be long, and are read in another statement once it is known how many fit.
SELECT v.id, v.kind, NULL::text AS payload, v.queue, v.category, v.priority, v.policy, v.status,
       v.reason, v.attempts, v.rate_limit_waits, v.submitted_at, v.scheduled_at, v.last_attempt_at,
       v.ended_at, v.expires_at, v.last_class, v.last_message, NULL::text AS result,
       v.idempotency_key, v.correlation_id, v.hold_category, d.first, d.second,
       (SELECT t.counted_from FROM steadfast.tasks t WHERE t.id = v.id) AS counted_from
  FROM (/* source */) AS d JOIN steadfast.overview v ON v.id = d.id
 WHERE ($2::uuid[] IS NULL OR v.id = ANY ($2))
   AND ($3::text IS NULL OR v.queue = $3)
   AND ($4::text IS NULL OR v.category = $4)
   AND ($5::text IS NULL OR v.kind = $5)
   AND ($6::text IS NULL OR v.last_class = $6)
   AND ($7::text IS NULL OR v.correlation_id = $7)
   AND ($8::timestamptz IS NULL OR v.scheduled_at <= $8)
   AND ($9::timestamptz IS NULL OR v.submitted_at >= $9)
   AND ($10::timestamptz IS NULL OR v.ended_at >= $10)
   AND ($1::text IS NULL OR v.status = $1)
 ORDER BY /* order */ LIMIT $13
