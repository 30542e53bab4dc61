SELECT
    execution.id, execution.workflow, execution.name, execution.status, execution.attempts,
    execution.started_at, execution.due_at, execution.ended_at, execution.key, execution.previous,
    execution.next, execution.failed_node, execution.message, execution.started_with,
    execution.version
FROM steadfast_executions AS execution
WHERE execution.id = ?1
