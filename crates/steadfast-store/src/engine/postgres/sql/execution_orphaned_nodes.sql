-- A slice of the submitted nodes, by task, and whether each has a missed completion or an ended
-- execution.
WITH slice AS MATERIALIZED (
    SELECT n.task, n.execution FROM steadfast.nodes n
     WHERE n.status = 'submitted' AND n.task > $1
     ORDER BY n.task LIMIT $2
)
SELECT s.task, s.execution, t.id IS NULL OR e.id IS NOT NULL OR x.status <> 'running' AS is_orphaned
  FROM slice s
  JOIN steadfast.executions x ON x.id = s.execution
  LEFT JOIN steadfast.tasks t ON t.id = s.task
  LEFT JOIN steadfast.ended e ON e.id = s.task
 ORDER BY s.task
