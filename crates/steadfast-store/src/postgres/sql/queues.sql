SELECT q.name, q.paused,
       (SELECT count(*) FROM steadfast.ready r WHERE r.queue = q.id)
       + (SELECT count(*) FROM steadfast.waiting w WHERE w.queue = q.id AND w.run_at <= now()) AS pending,
       (SELECT count(*) FROM steadfast.waiting w WHERE w.queue = q.id AND w.run_at > now()) AS scheduled
  FROM steadfast.queues q ORDER BY q.name
