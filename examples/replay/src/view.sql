-- The runs as a table for SQL clients: one row per run, with the columns `retry_count`,
-- `next_retry_at` and `error_class`. A verdict is the task's result. A run is submitted when it is
-- discovered: its age counts from there. Runs that are found together are ordered by their files' dates.
CREATE VIEW runs AS
SELECT
    idempotency_key AS run,
    category,
    submitted_at AS submitted_date,
    CASE
        WHEN status = 'completed' THEN result ->> 'verdict'
        WHEN status = 'cancelled' THEN 'cancelled'
        WHEN status = 'running' THEN 'processing'
        WHEN status = 'failed' OR last_class IS NOT NULL THEN 'error'
        ELSE 'discovered'
    END AS status,
    status IN ('pending', 'scheduled', 'running') AS is_open,
    -- Started and scheduled retries. A wait that the service requested does not count, and a verdict
    -- clears them.
    CASE status
        WHEN 'completed' THEN 0
        WHEN 'failed' THEN max(attempts - 1, 0)
        ELSE attempts
    END AS retry_count,
    iif(status IN ('pending', 'scheduled') AND last_class IS NOT NULL, scheduled_at, NULL)
        AS next_retry_at,
    iif(status = 'completed', NULL, last_class) AS error_class,
    iif(status = 'completed', NULL, last_message) AS error,
    reason AS gave_up,
    (SELECT group_concat(value, '; ') FROM json_each(result, '$.differences')) AS differences
FROM steadfast_overview
WHERE kind = 'replay'
ORDER BY submitted_at, id
