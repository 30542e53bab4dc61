SELECT slot_name::text AS name, active, age(xmin)::bigint AS holds_back,
       CASE WHEN pg_is_in_recovery() THEN NULL
            ELSE pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint END AS retained
  FROM pg_replication_slots ORDER BY retained DESC NULLS LAST LIMIT 10
