-- The states of executions with their nodes, and of the tasks of those that have not completed.
SELECT
    execution.id, execution.workflow, execution.version, execution.status, execution.attempts,
    execution.rate_limit_waits, execution.previous_delay, execution.counted_from,
    execution.next,
    CAST(round(unixepoch('subsec') * 1000000) AS INTEGER) AS now,
    (
        SELECT json_group_array(json_array(
            node.number,
            node.status,
            hex(node.task),
            CASE
                WHEN node.status = 'completed' THEN 'completed'
                WHEN ended.id IS NOT NULL THEN ended.status
                WHEN task.id IS NOT NULL THEN 'open'
                ELSE 'pruned'
            END
        ))
        FROM steadfast_nodes AS node
        LEFT JOIN steadfast_tasks AS task ON task.id = node.task AND node.status <> 'completed'
        LEFT JOIN steadfast_ended AS ended
            ON ended.status IN ('completed', 'failed', 'cancelled') AND ended.id = task.id
        WHERE node.execution = execution.id
    ) AS nodes
FROM json_each(?1) AS wanted
CROSS JOIN steadfast_executions AS execution ON execution.id = unhex(wanted.value)
