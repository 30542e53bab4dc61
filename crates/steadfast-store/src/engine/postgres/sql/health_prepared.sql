SELECT gid AS name, owner::text AS owner, extract(epoch FROM clock_timestamp() - prepared)::float8 AS open_for
  FROM pg_prepared_xacts WHERE database = current_database()
 ORDER BY prepared LIMIT 10
