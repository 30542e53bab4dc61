-- The head of every line, and what was taken from it. What is behind the head waits for it.
SELECT q.name, least(
           (SELECT greatest(t.scheduled_at, t.submitted_at)
              FROM steadfast.ready r JOIN steadfast.tasks t ON t.id = r.id
             WHERE r.queue = q.id ORDER BY r.rank, r.submitted_at, r.id LIMIT 1),
           (SELECT w.run_at FROM steadfast.waiting w
             WHERE w.queue = q.id AND w.run_at <= now() ORDER BY w.run_at, w.id LIMIT 1)
       ) AS due_since, coalesce(running.tasks, 0) AS running
  FROM steadfast.queues q
  LEFT JOIN (
      SELECT t.queue, count(*) AS tasks
        FROM steadfast.leases l CROSS JOIN LATERAL unnest(l.tasks) WITH ORDINALITY AS g (id, slot)
        JOIN steadfast.tasks t ON t.id = g.id
       WHERE l.open > 0 AND get_bit(l.done, g.slot::int - 1) = 0
       GROUP BY t.queue
  ) running ON running.queue = q.id
 ORDER BY q.name
