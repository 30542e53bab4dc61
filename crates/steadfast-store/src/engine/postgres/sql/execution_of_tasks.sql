SELECT DISTINCT n.execution
  FROM unnest($1::uuid[]) AS g (task)
  JOIN steadfast.nodes n ON n.task = g.task AND n.status = 'submitted'
