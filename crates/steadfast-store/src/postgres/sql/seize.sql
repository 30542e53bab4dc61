-- Takes over the open tasks of the lease that expired first. One row without a task says that
-- there was such a lease, and nothing open in it.
WITH lost AS MATERIALIZED (
    SELECT version, coalesce(lost_by, worker) AS lost_by, tasks, done FROM steadfast.leases
     WHERE until < now() ORDER BY until LIMIT 1 FOR UPDATE SKIP LOCKED
),
open AS MATERIALIZED (
    SELECT g.id, l.lost_by
      FROM lost l CROSS JOIN LATERAL unnest(l.tasks) WITH ORDINALITY AS g (id, slot)
     WHERE get_bit(l.done, g.slot::int - 1) = 0
),
gone AS (
    DELETE FROM steadfast.leases l USING lost WHERE l.version = lost.version
),
lease AS (
    INSERT INTO steadfast.leases (version, worker, lost_by, until, open, tasks, done)
    SELECT nextval('steadfast.lease_version'), $1, min(lost_by), now() + interval '60 seconds', count(*), array_agg(id),
           repeat('0', count(*)::int)::varbit
      FROM open HAVING count(*) > 0
    RETURNING version, lost_by
)
SELECT t.id, lease.version, t.kind, t.payload::text, t.queue, t.category, t.priority, t.policy,
       t.attempts, t.rate_limit_waits, t.previous, t.submitted_at, t.counted_from, t.expires_at,
       t.idempotency_key, t.correlation_id, t.hold_category, now(), lease.lost_by
  FROM lost LEFT JOIN (open JOIN steadfast.tasks t ON t.id = open.id CROSS JOIN lease) ON true
