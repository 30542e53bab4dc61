-- The current steps: their executions have the version that was read, and are locked until the end of
-- the transaction. They are locked in the given order, which is by id, to avoid deadlocks. Ordering here
-- would read every execution: sorting is off, and the only ordered source is the index of all.
WITH steps AS MATERIALIZED (
    SELECT s.id, s.status, s.failed_node, s.message, s.next
      FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::uuid[])
        AS s (id, version, status, failed_node, message, next)
     CROSS JOIN LATERAL (
        SELECT FROM steadfast.executions x
         WHERE x.id = s.id AND x.version = s.version FOR NO KEY UPDATE
     ) AS locked
)
UPDATE steadfast.executions x
   SET version = x.version + 1,
       next = coalesce(s.next, x.next),
       status = coalesce(s.status, x.status),
       ended_at = CASE WHEN s.status IS NULL THEN x.ended_at WHEN s.status <> 'running' THEN now() END,
       failed_node = CASE WHEN s.status IS NULL THEN x.failed_node ELSE s.failed_node END,
       message = CASE WHEN s.status IS NULL THEN x.message ELSE s.message END
  FROM steps s WHERE x.id = s.id
RETURNING x.id
