-- The first of the bounds of all queues, which share the maximum scan.
SELECT p.id, p.rank::bigint AS first, (extract(epoch FROM p.submitted_at) * 1000000)::bigint AS second
  FROM steadfast.queues q CROSS JOIN LATERAL (
       SELECT r.id, r.rank, r.submitted_at FROM steadfast.ready r
        WHERE r.queue = q.id
          AND (r.rank, r.submitted_at, r.id) > (coalesce($11::smallint, '-32768'::smallint), coalesce($15::timestamptz, '-infinity'),
               coalesce($12::uuid, '00000000-0000-0000-0000-000000000000'))
        ORDER BY r.rank, r.submitted_at, r.id
       OFFSET $13 / (SELECT count(*) FROM steadfast.queues WHERE $3::text IS NULL OR name = $3) LIMIT 1
  ) AS p
 WHERE $3::text IS NULL OR q.name = $3
 ORDER BY p.rank, p.submitted_at, p.id LIMIT 1
