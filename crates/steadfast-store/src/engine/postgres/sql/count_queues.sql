SELECT q.name, q.paused,
       coalesce(r.tasks, 0) + coalesce(w.late, 0) AS pending, coalesce(w.later, 0) AS scheduled
  FROM steadfast.queues q
  LEFT JOIN (SELECT queue, count(*) AS tasks FROM steadfast.ready GROUP BY queue) r ON r.queue = q.id
  LEFT JOIN (SELECT queue, count(*) FILTER (WHERE run_at <= now()) AS late,
                    count(*) FILTER (WHERE run_at > now()) AS later
               FROM steadfast.waiting GROUP BY queue) w ON w.queue = q.id
 ORDER BY q.name
