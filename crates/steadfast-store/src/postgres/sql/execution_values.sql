-- What executions were started with, and what nodes of them answered: as it was copied, or, if
-- nobody has noticed yet that a task has ended, as the task has it.
SELECT x.id, NULL::smallint, x.started_with
  FROM unnest($1::uuid[]) AS g (id) JOIN steadfast.executions x ON x.id = g.id
UNION ALL
SELECT n.execution, n.number, coalesce(n.result, e.result)::text
  FROM unnest($2::uuid[], $3::smallint[]) AS g (execution, number)
  JOIN steadfast.nodes n ON n.execution = g.execution AND n.number = g.number
  LEFT JOIN steadfast.ended e ON e.id = n.task AND n.status <> 'completed'
