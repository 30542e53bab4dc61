-- Back to the first existing execution and forward to the last, up to a limit either way.
WITH RECURSIVE
    back AS (
        SELECT id, previous, 0 AS place FROM steadfast_executions WHERE id = ?1
        UNION ALL
        SELECT earlier.id, earlier.previous, back.place - 1
        FROM back
        CROSS JOIN steadfast_executions AS earlier ON earlier.id = back.previous
        WHERE back.place > -?2
    ),
    forth AS (
        SELECT id, next, 0 AS place FROM steadfast_executions WHERE id = ?1
        UNION ALL
        SELECT later.id, later.next, forth.place + 1
        FROM forth
        CROSS JOIN steadfast_executions AS later ON later.id = forth.next
        WHERE forth.place < ?2
    ),
    chain AS (SELECT id, place FROM back UNION SELECT id, place FROM forth)
SELECT
    execution.id, execution.workflow, execution.name, execution.status, execution.attempts,
    execution.started_at, execution.due_at, execution.ended_at, execution.key, execution.previous,
    execution.next, execution.failed_node, execution.message
FROM chain
CROSS JOIN steadfast_executions AS execution ON execution.id = chain.id
ORDER BY chain.place
