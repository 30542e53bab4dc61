-- Nodes whose tasks have ended, with the result or the last message. A completed node is left out if its
-- task does not exist any more.
UPDATE steadfast.nodes n
   SET status = g.status,
       ended_at = coalesce(e.ended_at, now()),
       result = CASE WHEN g.status = 'completed' THEN e.result END,
       message = CASE WHEN g.status <> 'completed' THEN coalesce(g.message, t.last_message) END
  FROM unnest($1::uuid[], $2::smallint[], $3::text[], $4::text[]) AS g (execution, number, status, message)
  JOIN steadfast.nodes o ON o.execution = g.execution AND o.number = g.number
  LEFT JOIN steadfast.ended e ON e.id = o.task
  LEFT JOIN steadfast.tasks t ON t.id = o.task
 WHERE n.execution = o.execution AND n.number = o.number
   AND (g.status <> 'completed' OR e.outcome = 'completed')
