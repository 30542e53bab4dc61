SELECT x.id, x.workflow, x.name, x.status, x.attempts, x.started_at, x.due_at, x.ended_at, x.key,
       x.previous, x.next, x.failed_node, x.message
  FROM steadfast.executions x
 WHERE TRUE
