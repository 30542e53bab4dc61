-- Nodes whose tasks are submitted, or that could not start: those have no task, and a message. A node
-- that starts again has a row already.
INSERT INTO steadfast_nodes (execution, number, task, status, began_at, ended_at, message)
SELECT
    unhex(node.value ->> 'execution'),
    node.value ->> 'number',
    unhex(node.value ->> 'task'),
    CASE WHEN node.value ->> 'task' IS NULL THEN 'failed' ELSE 'submitted' END,
    ?2,
    CASE WHEN node.value ->> 'task' IS NULL THEN ?2 END,
    node.value ->> 'message'
FROM json_each(?1) AS node
WHERE TRUE
ON CONFLICT (execution, number) DO UPDATE SET
    task = excluded.task,
    status = excluded.status,
    began_at = excluded.began_at,
    ended_at = excluded.ended_at,
    message = excluded.message,
    result = NULL
