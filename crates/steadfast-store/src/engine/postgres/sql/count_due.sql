-- The first due times. Claim order is by submission, not by due time, so a later task may be due for
-- longer: to find it the queue would have to be scanned. The head of each rank is enough: while no worker
-- claims, the head stays, and its age grows. Paused queues and held categories are left out.
WITH RECURSIVE heads AS (
    SELECT q.id AS queue, (SELECT min(r.rank) FROM steadfast.ready r WHERE r.queue = q.id) AS rank
      FROM steadfast.queues q WHERE NOT q.paused
    UNION ALL
    SELECT h.queue, (SELECT min(r.rank) FROM steadfast.ready r WHERE r.queue = h.queue AND r.rank > h.rank)
      FROM heads h WHERE h.rank IS NOT NULL
),
first AS (
    SELECT (SELECT r.id FROM steadfast.ready r
             WHERE r.queue = heads.queue AND r.rank = heads.rank
               AND NOT EXISTS (SELECT FROM steadfast.holds h
                                WHERE h.queue = r.queue AND h.category = r.category AND h.until > now())
             ORDER BY r.submitted_at, r.id LIMIT 1) AS id
      FROM heads WHERE heads.rank IS NOT NULL
)
SELECT (SELECT min(run_at) FROM steadfast.waiting WHERE run_at > now()) AS next_due,
       least((SELECT min((SELECT greatest(t.scheduled_at, t.submitted_at)
                            FROM steadfast.tasks t WHERE t.id = first.id))
                FROM first),
             -- Due, and not yet promoted.
             (SELECT w.run_at FROM steadfast.waiting w JOIN steadfast.queues q ON q.id = w.queue
               WHERE w.run_at <= now() AND NOT q.paused ORDER BY w.run_at LIMIT 1)) AS due_since
