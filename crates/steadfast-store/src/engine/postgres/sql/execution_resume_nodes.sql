-- Nodes whose tasks are requeued.
UPDATE steadfast.nodes n
   SET status = 'submitted', ended_at = NULL, message = NULL, result = NULL
  FROM unnest($1::uuid[], $2::smallint[]) AS g (execution, number)
 WHERE n.execution = g.execution AND n.number = g.number
