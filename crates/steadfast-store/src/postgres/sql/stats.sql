SELECT (SELECT count(*) FROM steadfast.ready) + (SELECT count(*) FROM steadfast.waiting WHERE run_at <= now()) AS pending,
       (SELECT count(*) FROM steadfast.waiting WHERE run_at > now()) AS scheduled,
       (SELECT count(*) FROM steadfast.waiting WHERE run_at > now() AND run_at <= now() + interval '1 hour') AS due_in_an_hour,
       (SELECT count(*) FROM steadfast.waiting WHERE run_at > now() AND run_at <= now() + interval '24 hours') AS due_in_24_hours,
       (SELECT coalesce(sum(open), 0)::bigint FROM steadfast.leases) AS running,
       e.completed, e.failed, e.cancelled,
       (SELECT min(run_at) FROM steadfast.waiting WHERE run_at > now()) AS next_due,
       least((SELECT min(submitted_at) FROM steadfast.ready),
             (SELECT min(submitted_at) FROM steadfast.waiting WHERE run_at <= now())) AS oldest_pending
  FROM (SELECT count(*) FILTER (WHERE outcome = 'completed') AS completed,
               count(*) FILTER (WHERE outcome = 'failed') AS failed,
               count(*) FILTER (WHERE outcome = 'cancelled') AS cancelled
          FROM steadfast.ended) e
