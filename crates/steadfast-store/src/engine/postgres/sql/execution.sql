SELECT id, workflow, name, status, attempts, started_at, due_at, ended_at, key, previous, next,
       failed_node, message, started_with, version
  FROM steadfast.executions
 WHERE id = $1
