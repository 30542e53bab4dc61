-- Sessions that may keep notifications in the queue, which all databases share: a listener reads nothing
-- while it is in a transaction or cannot send.
SELECT pid, coalesce(usename::text, '') AS "user", coalesce(application_name, '') AS application,
       CASE WHEN wait_event = 'ClientWrite' THEN 'does not read' ELSE state END AS state,
       extract(epoch FROM clock_timestamp() - coalesce(xact_start, state_change))::float8 AS open_for,
       age(backend_xmin)::bigint AS holds_back
  FROM pg_stat_activity
 WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'
   AND (state LIKE 'idle in transaction%' OR wait_event = 'ClientWrite'
        OR state = 'active' AND xact_start < now() - interval '1 minute')
 ORDER BY coalesce(xact_start, state_change) LIMIT 3
