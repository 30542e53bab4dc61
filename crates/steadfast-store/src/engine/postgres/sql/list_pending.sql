-- Pending tasks, and due tasks before their promotion. `$14` bounds each queue where no filter applies, and
-- `$16` to `$18` are the end of the scan where one does.
SELECT p.id, p.rank, p.submitted_at AS sort,
       p.rank::bigint AS first, (extract(epoch FROM p.submitted_at) * 1000000)::bigint AS second
  FROM steadfast.queues q CROSS JOIN LATERAL (
       (SELECT r.id, r.rank, r.submitted_at FROM steadfast.ready r
         WHERE r.queue = q.id
           AND (r.rank, r.submitted_at, r.id) > (coalesce($11::smallint, '-32768'::smallint), coalesce($15::timestamptz, '-infinity'),
                coalesce($12::uuid, '00000000-0000-0000-0000-000000000000'))
           AND (r.rank, r.submitted_at, r.id) <= (coalesce($18::smallint, '32767'::smallint), coalesce($17::timestamptz, 'infinity'),
                coalesce($16::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
         ORDER BY r.rank, r.submitted_at, r.id LIMIT $14::bigint)
       UNION ALL
       SELECT w.id, w.rank, w.submitted_at FROM steadfast.waiting w
        WHERE w.run_at <= now() AND w.queue = q.id
          AND (w.rank, w.submitted_at, w.id) > (coalesce($11::smallint, '-32768'::smallint), coalesce($15::timestamptz, '-infinity'),
                coalesce($12::uuid, '00000000-0000-0000-0000-000000000000'))
          AND (w.rank, w.submitted_at, w.id) <= (coalesce($18::smallint, '32767'::smallint), coalesce($17::timestamptz, 'infinity'),
                coalesce($16::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
  ) AS p
 WHERE $3::text IS NULL OR q.name = $3
