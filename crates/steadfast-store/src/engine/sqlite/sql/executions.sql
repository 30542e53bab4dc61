SELECT
    execution.id, execution.workflow, execution.name, execution.status, execution.attempts,
    execution.started_at, execution.due_at, execution.ended_at, execution.key, execution.previous,
    execution.next, execution.failed_node, execution.message
FROM steadfast_executions AS execution
WHERE TRUE
