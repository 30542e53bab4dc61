-- The missing privileges, one object per row, as GRANT takes them. Without a schema, the privilege to create
-- one. Identity columns need no privilege.
WITH relations AS (
    SELECT c.oid, c.relkind, format('%I.%I', n.nspname, c.relname) AS name
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'steadfast'
       AND (c.relkind = 'r' AND c.relname <> 'schema_versions' OR c.relkind = 'S' AND c.relname = 'lease_version')
)
SELECT format('CREATE ON DATABASE %I', current_database()) AS missing
 WHERE NOT has_database_privilege(current_database(), 'CREATE')
   AND NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'steadfast')
UNION ALL
SELECT 'USAGE ON SCHEMA steadfast' FROM pg_namespace
 WHERE nspname = 'steadfast' AND NOT has_schema_privilege(oid, 'USAGE')
UNION ALL
SELECT 'SELECT ON TABLE steadfast.schema_versions'
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname = 'steadfast' AND c.relname = 'schema_versions' AND NOT has_table_privilege(c.oid, 'SELECT')
UNION ALL
SELECT string_agg(p.privilege, ', ' ORDER BY p.position) || ' ON TABLE ' || relations.name
  FROM relations CROSS JOIN unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) WITH ORDINALITY AS p (privilege, position)
 WHERE relations.relkind = 'r' AND NOT has_table_privilege(relations.oid, p.privilege)
 GROUP BY relations.name
UNION ALL
SELECT 'USAGE ON SEQUENCE ' || name FROM relations
 -- Only for sequences, whatever the order of evaluation.
 WHERE CASE WHEN relkind = 'S' THEN NOT has_sequence_privilege(oid, 'USAGE') END
