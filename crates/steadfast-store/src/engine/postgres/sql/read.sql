SELECT v.id, v.kind, v.payload::text AS payload, v.queue, v.category, v.priority, v.policy, v.status,
       v.reason, v.attempts, v.rate_limit_waits, v.submitted_at, v.scheduled_at, v.last_attempt_at,
       v.ended_at, v.expires_at, v.last_class, v.last_message, v.result::text AS result,
       v.idempotency_key, v.correlation_id, v.hold_category, v.packed_faults,
       ARRAY(SELECT f.record::text FROM steadfast.faults f WHERE f.task = v.id ORDER BY f.number) AS loose_faults,
       ARRAY(SELECT f.at FROM steadfast.faults f WHERE f.task = v.id ORDER BY f.number) AS loose_times,
       (SELECT t.counted_from FROM steadfast.tasks t WHERE t.id = v.id) AS counted_from
  FROM steadfast.overview v WHERE v.id = $1
