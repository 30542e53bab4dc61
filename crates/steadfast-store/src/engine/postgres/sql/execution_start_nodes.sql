-- Nodes whose tasks are submitted, or that could not start: those have no task, and a message. A node
-- that starts again has a row already.
INSERT INTO steadfast.nodes (execution, number, task, status, began_at, ended_at, message)
SELECT g.execution, g.number, g.task, CASE WHEN g.task IS NULL THEN 'failed' ELSE 'submitted' END,
       now(), CASE WHEN g.task IS NULL THEN now() END, g.message
  FROM unnest($1::uuid[], $2::smallint[], $3::uuid[], $4::text[]) AS g (execution, number, task, message)
ON CONFLICT (execution, number) DO UPDATE
   SET task = excluded.task, status = excluded.status, began_at = excluded.began_at,
       ended_at = excluded.ended_at, message = excluded.message, result = NULL
