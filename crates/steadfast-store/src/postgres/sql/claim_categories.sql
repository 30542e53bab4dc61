-- The same for some categories: one limited probe for each, merged. A condition on the category
-- beside the order of the line would step over everything else in it.
WITH lane AS (
    SELECT q.id AS queue, coalesce(l.most, $6::int) AS most,
           coalesce(l.rank, '-32768'::smallint) AS rank,
           coalesce(l.submitted_at, '-infinity') AS submitted_at,
           coalesce(l.id, '00000000-0000-0000-0000-000000000000') AS id
      FROM steadfast.queues q
      LEFT JOIN unnest($1::text[], $2::int[], $3::smallint[], $4::timestamptz[], $5::uuid[])
             AS l (name, most, rank, submitted_at, id) ON l.name = q.name
     WHERE NOT q.paused AND (l.name IS NOT NULL OR cardinality($1) = 0)
),
found AS MATERIALIZED (
    SELECT first.*, lane.most, row_number() OVER (
               PARTITION BY lane.queue ORDER BY first.rank, first.submitted_at, first.id) AS number
      FROM lane CROSS JOIN (SELECT DISTINCT category FROM unnest($9::text[]) AS g (category)) AS wanted
     CROSS JOIN LATERAL (
        SELECT r.ctid AS place, r.rank, r.submitted_at, r.id
          FROM steadfast.ready r
         WHERE r.queue = lane.queue
           AND (r.rank, r.submitted_at, r.id) > (lane.rank, lane.submitted_at, lane.id)
           AND r.category = wanted.category
           AND NOT EXISTS (SELECT FROM steadfast.holds h
                WHERE h.queue = lane.queue AND h.category = wanted.category AND h.until > now())
           AND ($10::text[] IS NULL
                OR (SELECT t.kind FROM steadfast.tasks t WHERE t.id = r.id) = ANY ($10))
         ORDER BY r.rank, r.submitted_at, r.id
         LIMIT lane.most
           FOR UPDATE SKIP LOCKED
    ) AS first
),
taken AS (
    DELETE FROM steadfast.ready
     WHERE ctid = ANY (ARRAY(
        SELECT place FROM found /* with room */ WHERE number <= most ORDER BY rank, submitted_at, id LIMIT $6))
    RETURNING id, rank, submitted_at
),
lease AS (
    INSERT INTO steadfast.leases (version, worker, until, open, tasks, done)
    SELECT nextval('steadfast.lease_version'), $7, now() + $8::bigint * interval '1 microsecond',
           count(*), array_agg(id), repeat('0', count(*)::int)::varbit
      FROM taken HAVING count(*) > 0
    RETURNING version
)
SELECT t.id, lease.version, t.kind, t.payload, t.queue, t.category, t.priority, t.policy,
       t.attempts, t.rate_limit_waits, t.previous, t.submitted_at, t.counted_from, t.expires_at,
       t.idempotency_key, t.correlation_id, t.hold_category, now(), t.scheduled_at
  FROM taken JOIN steadfast.tasks t ON t.id = taken.id CROSS JOIN lease
 ORDER BY taken.rank, taken.submitted_at, taken.id
