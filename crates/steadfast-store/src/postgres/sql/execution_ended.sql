-- The executions with submitted nodes whose tasks have ended within so long. Where no node is
-- submitted, nothing is looked at.
SELECT DISTINCT n.execution
  FROM steadfast.ended e
  JOIN steadfast.nodes n ON n.task = e.id AND n.status = 'submitted'
 WHERE e.ended_at > now() - $1::bigint * interval '1 microsecond'
   AND EXISTS (SELECT FROM steadfast.nodes WHERE status = 'submitted')
 LIMIT $2
