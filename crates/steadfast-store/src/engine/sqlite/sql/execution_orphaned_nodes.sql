-- A slice of the submitted nodes, by task, and whether each has a missed completion or an ended
-- execution.
SELECT
    node.task,
    node.execution,
    task.id IS NULL OR ended.id IS NOT NULL OR execution.status <> 'running' AS is_orphaned
FROM (
    SELECT task, execution FROM steadfast_nodes INDEXED BY steadfast_nodes_submitted
    WHERE status = 'submitted' AND task > ?1
    ORDER BY task
    LIMIT ?2
) AS node
CROSS JOIN steadfast_executions AS execution ON execution.id = node.execution
LEFT JOIN steadfast_tasks AS task ON task.id = node.task
LEFT JOIN steadfast_ended AS ended
    ON ended.status IN ('completed', 'failed', 'cancelled') AND ended.id = node.task
ORDER BY node.task
