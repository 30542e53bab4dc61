-- Back to the first existing execution and forward to the last, up to a limit either way.
WITH RECURSIVE
    earlier AS (
        SELECT id, previous, 0 AS position FROM steadfast_executions WHERE id = ?1
        UNION ALL
        SELECT execution.id, execution.previous, earlier.position - 1
        FROM earlier
        CROSS JOIN steadfast_executions AS execution ON execution.id = earlier.previous
        WHERE earlier.position > -?2
    ),
    later AS (
        SELECT id, next, 0 AS position FROM steadfast_executions WHERE id = ?1
        UNION ALL
        SELECT execution.id, execution.next, later.position + 1
        FROM later
        CROSS JOIN steadfast_executions AS execution ON execution.id = later.next
        WHERE later.position < ?2
    ),
    chain AS (SELECT id, position FROM earlier UNION SELECT id, position FROM later)
SELECT
    execution.id, execution.workflow, execution.name, execution.status, execution.attempts,
    execution.started_at, execution.due_at, execution.ended_at, execution.key, execution.previous,
    execution.next, execution.failed_node, execution.message
FROM chain
CROSS JOIN steadfast_executions AS execution ON execution.id = chain.id
ORDER BY chain.position
