-- Reclaims open tasks of the lease that expired first; the lease stays while it has others. One row without
-- a task means that the lease had no open task. Settling takes a moment: after five seconds the reclaiming
-- worker counts as lost, too.
WITH locked AS MATERIALIZED (
    SELECT version, coalesce(lost_by, worker) AS lost_by, open, tasks, done FROM steadfast.leases
     WHERE until < now() ORDER BY until LIMIT 1 FOR UPDATE SKIP LOCKED
),
reclaimed AS MATERIALIZED (
    SELECT g.id, g.slot::int AS slot, l.version, l.lost_by, l.done
      FROM locked l CROSS JOIN LATERAL unnest(l.tasks) WITH ORDINALITY AS g (id, slot)
     WHERE get_bit(l.done, g.slot::int - 1) = 0
     ORDER BY g.slot LIMIT $2
),
removed AS (
    SELECT count(*)::int AS tasks, bit_or(set_bit(done, slot - 1, 1)) AS done FROM reclaimed
),
deleted AS (
    DELETE FROM steadfast.leases l USING locked, removed s WHERE l.version = locked.version AND locked.open <= s.tasks
),
updated AS (
    UPDATE steadfast.leases l SET open = locked.open - s.tasks, done = s.done
      FROM locked, removed s WHERE l.version = locked.version AND locked.open > s.tasks
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
  FROM locked LEFT JOIN (reclaimed JOIN steadfast.tasks t ON t.id = reclaimed.id CROSS JOIN lease) ON true
