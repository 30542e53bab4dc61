SELECT floor(extract(epoch FROM now() - ended_at) / 60)::bigint AS minutes_ago,
       count(*) FILTER (WHERE outcome = 'completed') AS completed,
       count(*) FILTER (WHERE outcome = 'failed') AS failed
  FROM steadfast.ended
 WHERE ended_at > now() - interval '1 hour'
 GROUP BY minutes_ago
