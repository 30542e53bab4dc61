-- The nodes of executions, with the states of the tasks of those that have not completed. Unordered:
-- an order would read every node, because sorting is off.
SELECT n.execution, n.number, n.status, n.task,
       CASE WHEN n.status = 'completed' THEN 'completed'
            WHEN e.id IS NOT NULL THEN e.outcome::text
            WHEN t.id IS NOT NULL THEN 'open'
            ELSE 'pruned' END AS outcome
  FROM unnest($1::uuid[]) AS g (id)
  JOIN steadfast.nodes n ON n.execution = g.id
  LEFT JOIN steadfast.tasks t ON t.id = n.task AND n.status <> 'completed'
  LEFT JOIN steadfast.ended e ON e.id = t.id
