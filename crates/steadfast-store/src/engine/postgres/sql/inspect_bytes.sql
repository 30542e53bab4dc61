-- The size of the store with its indexes; the database may hold other tables.
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = 'steadfast' AND c.relkind = 'r'
