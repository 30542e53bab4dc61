SELECT r.tasks + w.late AS pending, w.later AS scheduled,
       w.due_in_an_hour, w.due_in_24_hours,
       (SELECT coalesce(sum(open), 0)::bigint FROM steadfast.leases) AS running,
       e.completed, e.failed, e.cancelled, w.next_due,
       least(r.oldest, w.oldest) AS oldest_pending
  FROM (SELECT count(*) AS tasks, min(submitted_at) AS oldest FROM steadfast.ready) r,
       (SELECT count(*) FILTER (WHERE run_at <= now()) AS late,
               count(*) FILTER (WHERE run_at > now()) AS later,
               count(*) FILTER (WHERE run_at > now() AND run_at <= now() + interval '1 hour') AS due_in_an_hour,
               count(*) FILTER (WHERE run_at > now() AND run_at <= now() + interval '24 hours') AS due_in_24_hours,
               min(run_at) FILTER (WHERE run_at > now()) AS next_due,
               min(submitted_at) FILTER (WHERE run_at <= now()) AS oldest
          FROM steadfast.waiting) w,
       (SELECT count(*) FILTER (WHERE outcome = 'completed') AS completed,
               count(*) FILTER (WHERE outcome = 'failed') AS failed,
               count(*) FILTER (WHERE outcome = 'cancelled') AS cancelled
          FROM steadfast.ended) e
