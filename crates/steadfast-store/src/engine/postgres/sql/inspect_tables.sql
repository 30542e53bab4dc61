-- The tables of the store, from the catalog, because not every user can see all schemas.
SELECT c.relname::text FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = 'steadfast' AND c.relkind = 'r' AND c.relname <> 'schema_versions'
 ORDER BY c.relname
