SELECT current_setting('server_version') AS version,
       current_setting('server_version_num')::int / 10000 AS major,
       current_user::text AS "user",
       current_database()::text AS database,
       pg_is_in_recovery() AS standby,
       -- This transaction is read-only itself, so the default is read.
       current_setting('default_transaction_read_only')::boolean AS read_only,
       current_setting('autovacuum')::boolean AND current_setting('track_counts')::boolean AS autovacuum,
       current_setting('fsync')::boolean AS fsync,
       current_setting('synchronous_commit') <> 'off' AS synchronous_commit,
       current_setting('full_page_writes')::boolean AS full_page_writes
