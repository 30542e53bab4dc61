-- The head of every line, and for how long it has been due. What is behind the head waits for it;
-- a head that nobody takes says that nobody is there.
SELECT q.name AS queue, q.paused, extract(epoch FROM now() - h.since)::float8 AS seconds
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
 WHERE h.since <= now()
 ORDER BY h.since
