SELECT
    id, workflow, name, status, attempts, started_at, due_at, ended_at, key, previous, next,
    failed_node, message
FROM steadfast_executions
WHERE TRUE
