-- The head of every queue, how long it has been due, and the running tasks of the queue. A head that no
-- worker claims shows that there is no worker.
SELECT q.name, q.paused, h.since AS due_since,
       extract(epoch FROM now() - h.since)::float8 AS seconds, coalesce(running.tasks, 0) AS running
  FROM steadfast.queues q
 CROSS JOIN LATERAL (
    SELECT min(since) AS since FROM (
        (SELECT greatest(t.scheduled_at, t.submitted_at) AS since
           FROM steadfast.ready r JOIN steadfast.tasks t ON t.id = r.id
          WHERE r.queue = q.id
            AND NOT EXISTS (SELECT FROM steadfast.holds h
                             WHERE h.queue = r.queue AND h.category = r.category AND h.until > now())
          ORDER BY r.rank, r.submitted_at, r.id LIMIT 1)
        UNION ALL
        (SELECT w.run_at FROM steadfast.waiting w
          WHERE w.queue = q.id AND w.run_at <= now() ORDER BY w.run_at, w.id LIMIT 1)
    ) heads
 ) h
  LEFT JOIN (
      SELECT t.queue, count(*) AS tasks
        FROM steadfast.leases l CROSS JOIN LATERAL unnest(l.tasks) WITH ORDINALITY AS g (id, slot)
        JOIN steadfast.tasks t ON t.id = g.id
       WHERE l.open > 0 AND get_bit(l.done, g.slot::int - 1) = 0
       GROUP BY t.queue
  ) running ON running.queue = q.id
 ORDER BY q.name
