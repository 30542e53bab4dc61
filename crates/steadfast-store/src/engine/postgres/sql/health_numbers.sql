SELECT age(datfrozenxid)::bigint AS age, current_setting('autovacuum_freeze_max_age')::bigint AS freeze_at
  FROM pg_database WHERE datname = current_database()
