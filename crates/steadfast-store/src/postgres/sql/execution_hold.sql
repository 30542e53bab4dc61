-- The steps that hold: their executions are as they were read, and stay so until the end of the
-- transaction. They are locked in the order of their ids, so that nobody waits crosswise.
WITH step AS MATERIALIZED (
    SELECT x.id, s.status, s.failed_node, s.message, s.next
      FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::uuid[])
        AS s (id, version, status, failed_node, message, next)
      JOIN steadfast.executions x ON x.id = s.id AND x.version = s.version
     ORDER BY x.id FOR NO KEY UPDATE OF x
)
UPDATE steadfast.executions x
   SET version = x.version + 1,
       next = coalesce(s.next, x.next),
       status = coalesce(s.status, x.status),
       ended_at = CASE WHEN s.status IS NULL THEN x.ended_at WHEN s.status <> 'running' THEN now() END,
       failed_node = CASE WHEN s.status IS NULL THEN x.failed_node ELSE s.failed_node END,
       message = CASE WHEN s.status IS NULL THEN x.message ELSE s.message END
  FROM step s WHERE x.id = s.id
RETURNING x.id
