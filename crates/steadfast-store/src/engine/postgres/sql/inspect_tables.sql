-- The store's tables; whoever looks may not see all schemas, so the catalog is asked.
SELECT c.relname::text FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = 'steadfast' AND c.relkind = 'r' AND c.relname <> 'schema_versions'
 ORDER BY c.relname
