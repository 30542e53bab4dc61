SELECT coalesce(sum(numbackends), 0)::bigint AS used,
       current_setting('max_connections')::bigint
       - current_setting('superuser_reserved_connections')::bigint
       - coalesce(current_setting('reserved_connections', true), '0')::bigint AS most
  FROM pg_stat_database
