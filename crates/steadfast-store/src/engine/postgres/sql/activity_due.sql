SELECT floor((extract(epoch FROM run_at - now()) - 0.000001) / 3600)::bigint AS hours, count(*) AS tasks
  FROM steadfast.waiting
 WHERE run_at > now() AND run_at <= now() + interval '24 hours'
 GROUP BY hours
