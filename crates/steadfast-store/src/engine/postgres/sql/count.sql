-- The counts of the store with those of each queue, one scan per table: a row per queue, or one row
-- without a queue.
SELECT t.*, l.*
  FROM (SELECT (SELECT coalesce(sum(open), 0)::bigint FROM steadfast.leases) AS running,
               count(*) FILTER (WHERE outcome = 'completed') AS completed,
               count(*) FILTER (WHERE outcome = 'failed') AS failed,
               count(*) FILTER (WHERE outcome = 'cancelled') AS cancelled
          FROM steadfast.ended) t
  LEFT JOIN (SELECT q.name, q.paused,
                    coalesce(r.tasks, 0) + coalesce(w.late, 0) AS pending, coalesce(w.later, 0) AS scheduled,
                    coalesce(w.in_an_hour, 0) AS due_in_an_hour, coalesce(w.in_24_hours, 0) AS due_in_24_hours
               FROM steadfast.queues q
               LEFT JOIN (SELECT queue, count(*) AS tasks FROM steadfast.ready GROUP BY queue) r ON r.queue = q.id
               LEFT JOIN (SELECT queue, count(*) FILTER (WHERE run_at <= now()) AS late,
                                 count(*) FILTER (WHERE run_at > now()) AS later,
                                 count(*) FILTER (WHERE run_at > now() AND run_at <= now() + interval '1 hour') AS in_an_hour,
                                 count(*) FILTER (WHERE run_at > now() AND run_at <= now() + interval '24 hours') AS in_24_hours
                            FROM steadfast.waiting GROUP BY queue) w ON w.queue = q.id) l ON true
 ORDER BY l.name
