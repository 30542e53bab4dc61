-- Tasks with their faults and without their documents, in the given order.
SELECT v.id, v.kind, NULL::text AS payload, v.queue, v.category, v.priority, v.policy, v.status,
       v.reason, v.attempts, v.rate_limit_waits, v.submitted_at, v.scheduled_at, v.last_attempt_at,
       v.ended_at, v.expires_at, v.last_class, v.last_message, NULL::text AS result,
       v.idempotency_key, v.correlation_id, v.hold_category, v.packed_faults,
       ARRAY(SELECT f.record::text FROM steadfast.faults f WHERE f.task = v.id ORDER BY f.number) AS loose_faults,
       ARRAY(SELECT f.at FROM steadfast.faults f WHERE f.task = v.id ORDER BY f.number) AS loose_times,
       (SELECT t.counted_from FROM steadfast.tasks t WHERE t.id = v.id) AS counted_from
  FROM unnest($1::uuid[]) WITH ORDINALITY AS wanted (id, position)
 CROSS JOIN LATERAL (SELECT o.* FROM steadfast.overview o WHERE o.id = wanted.id OFFSET 0) AS v
 ORDER BY wanted.position
