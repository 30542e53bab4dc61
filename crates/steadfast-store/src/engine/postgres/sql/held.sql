-- A task that is still open under a lease, as the claim returned it.
SELECT t.id, l.version, t.kind, t.payload, t.queue, t.category, t.priority, t.policy,
       t.attempts, t.rate_limit_waits, t.previous, t.submitted_at, t.counted_from, t.expires_at,
       t.idempotency_key, t.correlation_id, t.hold_category, now(), t.scheduled_at
  FROM steadfast.leases l JOIN steadfast.tasks t ON t.id = $1
 WHERE l.version = $2 AND get_bit(l.done, array_position(l.tasks, $1) - 1) = 0
