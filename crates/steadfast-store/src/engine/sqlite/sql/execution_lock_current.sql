-- The current steps: their executions have the version that was read.
UPDATE steadfast_executions
SET
    version = version + 1,
    next = coalesce(step.next, steadfast_executions.next),
    status = coalesce(step.status, steadfast_executions.status),
    ended_at = CASE
        WHEN step.status IS NULL THEN ended_at
        WHEN step.status <> 'running' THEN ?2
    END,
    failed_node = CASE
        WHEN step.status IS NULL THEN steadfast_executions.failed_node ELSE step.failed_node
    END,
    message = CASE WHEN step.status IS NULL THEN steadfast_executions.message ELSE step.message END
FROM (
    SELECT
        unhex(value ->> 'id') AS id,
        value ->> 'version' AS at_version,
        unhex(value ->> 'next') AS next,
        value ->> 'status' AS status,
        value ->> 'failed_node' AS failed_node,
        value ->> 'message' AS message
    FROM json_each(?1)
) AS step
WHERE steadfast_executions.id = step.id AND steadfast_executions.version = step.at_version
RETURNING hex(steadfast_executions.id)
