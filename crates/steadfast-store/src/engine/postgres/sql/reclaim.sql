-- Reclaims open tasks of the lease that expired first; the lease stays while it has others. One row without
-- a task means that the lease had no open task. Settling takes a moment: after five seconds the reclaiming
-- worker counts as lost, too.
WITH expired AS MATERIALIZED (
    SELECT version, coalesce(lost_by, worker) AS lost_by, open, tasks, done FROM steadfast.leases
     WHERE until < now() ORDER BY until LIMIT 1 FOR UPDATE SKIP LOCKED
),
reclaimed AS MATERIALIZED (
    SELECT g.id, g.slot::int AS slot, l.version, l.lost_by, l.done
      FROM expired l CROSS JOIN LATERAL unnest(l.tasks) WITH ORDINALITY AS g (id, slot)
     WHERE get_bit(l.done, g.slot::int - 1) = 0
     ORDER BY g.slot LIMIT $2
),
spent AS (
    SELECT count(*)::int AS tasks, bit_or(set_bit(done, slot - 1, 1)) AS done FROM reclaimed
),
emptied AS (
    DELETE FROM steadfast.leases l USING expired, spent s WHERE l.version = expired.version AND expired.open <= s.tasks
),
shrunk AS (
    UPDATE steadfast.leases l SET open = expired.open - s.tasks, done = s.done
      FROM expired, spent s WHERE l.version = expired.version AND expired.open > s.tasks
),
lease AS (
    INSERT INTO steadfast.leases (version, worker, lost_by, until, open, tasks, done)
    SELECT nextval('steadfast.lease_version'), $1, min(lost_by), now() + interval '5 seconds', count(*), array_agg(id),
           repeat('0', count(*)::int)::varbit
      FROM reclaimed HAVING count(*) > 0
    RETURNING version, lost_by
)
SELECT t.id, lease.version, t.kind, t.payload, t.queue, t.category, t.priority, t.policy,
       t.attempts, t.rate_limit_waits, t.previous, t.submitted_at, t.counted_from, t.expires_at,
       t.idempotency_key, t.correlation_id, t.hold_category, now(), t.scheduled_at, lease.lost_by
  FROM expired LEFT JOIN (reclaimed JOIN steadfast.tasks t ON t.id = reclaimed.id CROSS JOIN lease) ON true
