-- Open transactions of this database, oldest first. Sessions of other users show only their age, without the
-- privilege to read all statistics.
SELECT pid, coalesce(usename::text, '') AS "user", coalesce(application_name, '') AS application,
       coalesce(state, 'not ours to see') AS state,
       extract(epoch FROM clock_timestamp() - xact_start)::float8 AS open_for,
       age(backend_xmin)::bigint AS holds_back
  FROM pg_stat_activity
 WHERE pid <> pg_backend_pid()
   AND (datname = current_database() OR backend_type = 'walsender')
   AND coalesce(backend_type, 'client backend') IN ('client backend', 'walsender')
   AND (xact_start IS NOT NULL OR backend_xmin IS NOT NULL)
 ORDER BY xact_start, age(backend_xmin) DESC LIMIT 10
