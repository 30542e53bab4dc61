-- What the store takes, with its indexes; a database may hold other things.
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = 'steadfast' AND c.relkind = 'r'
