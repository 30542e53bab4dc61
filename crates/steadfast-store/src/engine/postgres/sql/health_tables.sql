SELECT format('%I.%I', s.schemaname, s.relname) AS name, s.n_live_tup AS live, s.n_dead_tup AS dead,
       pg_total_relation_size(s.relid) AS bytes,
       extract(epoch FROM clock_timestamp() - greatest(s.last_vacuum, s.last_autovacuum))::float8 AS vacuumed,
       coalesce((SELECT o.option_value::boolean FROM pg_options_to_table(c.reloptions) o
                  WHERE o.option_name = 'autovacuum_enabled'), true) AS autovacuum
  FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
 WHERE s.schemaname = 'steadfast'
 ORDER BY s.n_dead_tup DESC, s.relname
