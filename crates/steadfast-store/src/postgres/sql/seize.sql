-- Takes over open tasks of the lease that expired first; it stays while it has others. One row
-- without a task says that there was such a lease, and nothing open in it.
WITH lost AS MATERIALIZED (
    SELECT version, coalesce(lost_by, worker) AS lost_by, tasks FROM steadfast.leases
     WHERE until < now() ORDER BY until LIMIT 1 FOR UPDATE SKIP LOCKED
),
open AS MATERIALIZED (
    SELECT t.id, l.version, l.lost_by
      FROM lost l CROSS JOIN LATERAL unnest(l.tasks) AS g (id) JOIN steadfast.tasks t ON t.id = g.id
     WHERE t.settled < l.version AND NOT EXISTS (SELECT FROM steadfast.ended e WHERE e.id = g.id)
),
seized AS MATERIALIZED (
    SELECT id, version, lost_by FROM open LIMIT $2
),
body AS (
    UPDATE steadfast.tasks t SET settled = s.version FROM seized s WHERE t.id = s.id
),
rest AS MATERIALIZED (
    SELECT (SELECT count(*) FROM open) - (SELECT count(*) FROM seized) AS tasks
),
emptied AS (
    DELETE FROM steadfast.leases l USING lost, rest WHERE l.version = lost.version AND rest.tasks = 0
),
shrunk AS (
    UPDATE steadfast.leases l SET open = rest.tasks
      FROM lost, rest WHERE l.version = lost.version AND rest.tasks > 0
),
lease AS (
    INSERT INTO steadfast.leases (version, worker, lost_by, until, open, tasks)
    SELECT nextval('steadfast.lease_version'), $1, min(lost_by), now() + interval '60 seconds', count(*), array_agg(id)
      FROM seized HAVING count(*) > 0
    RETURNING version, lost_by
)
SELECT t.id, lease.version, t.kind, t.payload::text, t.queue, t.category, t.priority, t.policy,
       t.attempts, t.rate_limit_waits, t.previous, t.submitted_at, t.counted_from, t.expires_at,
       t.idempotency_key, t.correlation_id, t.hold_category, now(), lease.lost_by
  FROM lost LEFT JOIN (seized JOIN steadfast.tasks t ON t.id = seized.id CROSS JOIN lease) ON true
