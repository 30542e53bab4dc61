SELECT x.id, x.workflow, x.name, x.status, x.attempts, x.started_at, x.due_at, x.ended_at, x.key,
       x.previous, f.id AS next, x.failed_node, x.message, x.started_with
  FROM steadfast.executions x
  LEFT JOIN steadfast.executions f ON f.previous = x.id
 WHERE x.id = $1
