-- Claims the first pending tasks of all sources under one new lease. A source is a queue, or a wanted
-- category in it: a condition on the category with the order of a queue would scan everything else in
-- it. Rows are found, locked and deleted by the index in claim order; scheduled tasks are in another
-- table (D6). A category is bounded and ordered by instead of compared for equality: if all tasks were
-- once of one category, the planner would scan the whole queue. A kind that is not in the row is read
-- task by task: as a scalar subquery it cannot become a scan of all tasks.
WITH source AS MATERIALIZED (
    SELECT q.id AS queue, wanted.category, coalesce(l.most, $6::int) AS most,
           coalesce(l.rank, '-32768'::smallint) AS rank,
           coalesce(l.submitted_at, '-infinity') AS submitted_at,
           coalesce(l.id, '00000000-0000-0000-0000-000000000000') AS id,
           count(*) OVER () = 1 AS alone
      FROM steadfast.queues q
      LEFT JOIN unnest($1::text[], $2::int[], $3::smallint[], $4::timestamptz[], $5::uuid[])
             AS l (name, most, rank, submitted_at, id) ON l.name = q.name
     CROSS JOIN (SELECT DISTINCT g.category FROM unnest(coalesce($9::text[], ARRAY[NULL::text])) AS g (category)) AS wanted
     WHERE NOT q.paused AND (l.name IS NOT NULL OR cardinality($1) = 0)
),
-- The number of claimed tasks per source, found without locks. Locking the limit in each source would block
-- tasks that are not claimed.
candidates AS (
    SELECT queue, category, count(*) AS tasks
      FROM (SELECT *
              FROM (SELECT source.queue, source.category, source.most, head.*, row_number() OVER (
                               PARTITION BY source.queue ORDER BY head.rank, head.submitted_at, head.id) AS number
                      FROM source CROSS JOIN LATERAL (
                        SELECT r.rank, r.submitted_at, r.id
                          FROM steadfast.ready r
                         WHERE r.queue = source.queue
                           AND /* conditions */
                           AND ($10::text[] IS NULL OR CASE r.kind
                                WHEN '' THEN (SELECT t.kind FROM steadfast.tasks t WHERE t.id = r.id)
                                ELSE r.kind END = ANY ($10))
                         ORDER BY /* category, */ r.rank, r.submitted_at, r.id
                         LIMIT source.most
                      ) AS head
                     WHERE NOT source.alone) AS heads
             WHERE number <= most
             ORDER BY rank, submitted_at, id
             LIMIT $6) AS first
     GROUP BY queue, category
),
locked AS MATERIALIZED (
    SELECT first.*
      FROM (SELECT source.*, CASE WHEN source.alone THEN least(source.most, $6) ELSE s.tasks END AS share
              FROM source LEFT JOIN candidates s
                ON s.queue = source.queue AND s.category IS NOT DISTINCT FROM source.category) AS source
     CROSS JOIN LATERAL (
        SELECT r.ctid AS tuple, r.rank, r.submitted_at, r.id
          FROM steadfast.ready r
         WHERE r.queue = source.queue
           AND /* conditions */
           AND ($10::text[] IS NULL OR CASE r.kind
                WHEN '' THEN (SELECT t.kind FROM steadfast.tasks t WHERE t.id = r.id)
                ELSE r.kind END = ANY ($10))
         ORDER BY /* category, */ r.rank, r.submitted_at, r.id
         LIMIT coalesce(source.share, 0)
           FOR UPDATE SKIP LOCKED
    ) AS first
),
claimed AS (
    DELETE FROM steadfast.ready
     WHERE ctid = ANY (ARRAY(
        SELECT tuple FROM locked /* max bytes */ ORDER BY rank, submitted_at, id LIMIT $6))
    RETURNING id, rank, submitted_at
),
lease AS (
    INSERT INTO steadfast.leases (version, worker, until, open, tasks, done)
    SELECT nextval('steadfast.lease_version'), $7, now() + $8::bigint * interval '1 microsecond',
           count(*), array_agg(id), repeat('0', count(*)::int)::varbit
      FROM claimed HAVING count(*) > 0
    RETURNING version
)
SELECT t.id, lease.version, t.kind, t.payload, t.queue, t.category, t.priority, t.policy,
       t.attempts, t.rate_limit_waits, t.previous, t.submitted_at, t.counted_from, t.expires_at,
       t.idempotency_key, t.correlation_id, t.hold_category, now(), t.scheduled_at
  FROM claimed JOIN steadfast.tasks t ON t.id = claimed.id CROSS JOIN lease
 ORDER BY claimed.rank, claimed.submitted_at, claimed.id
