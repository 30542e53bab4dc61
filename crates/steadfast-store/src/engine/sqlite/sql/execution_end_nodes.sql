-- Nodes whose tasks have ended, with the result or the last message. A completed node is left out if its
-- task does not exist any more.
UPDATE steadfast_nodes
SET
    status = ending.status,
    ended_at = coalesce(ending.ended_at, ?2),
    result = CASE WHEN ending.status = 'completed' THEN ending.result END,
    message = CASE WHEN ending.status <> 'completed' THEN ending.message END
FROM (
    SELECT
        node.execution AS of,
        node.number AS at,
        wanted.value ->> 'status' AS status,
        ended.ended_at,
        ended.result,
        coalesce(wanted.value ->> 'message', progress.message) AS message
    FROM json_each(?1) AS wanted
    CROSS JOIN steadfast_nodes AS node
        ON node.execution = unhex(wanted.value ->> 'execution')
        AND node.number = wanted.value ->> 'number'
    LEFT JOIN steadfast_ended AS ended
        ON ended.status IN ('completed', 'failed', 'cancelled') AND ended.id = node.task
    LEFT JOIN steadfast_progress AS progress ON progress.id = node.task
    WHERE wanted.value ->> 'status' <> 'completed' OR ended.status = 'completed'
) AS ending
WHERE steadfast_nodes.execution = ending.of AND steadfast_nodes.number = ending.at
