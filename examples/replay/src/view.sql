-- The runs as a table, for whoever has SQL: one row a run, with the columns `retry_count`,
-- `next_retry_at` and `error_class`. The store keeps a task as a body, a place and what changed
-- since; a verdict is the task's result.
CREATE VIEW runs AS
SELECT
    task.key AS run,
    task.category,
    strftime('%Y-%m-%dT%H:%M:%fZ', task.submitted_at / 1e6, 'unixepoch') AS submitted_date,
    CASE
        WHEN ended.status = 'completed' THEN ended.result ->> 'verdict'
        WHEN ended.status = 'cancelled' THEN 'cancelled'
        WHEN ended.status = 'failed' THEN 'error'
        WHEN running.id IS NOT NULL THEN 'processing'
        WHEN progress.class IS NOT NULL THEN 'error'
        ELSE 'discovered'
    END AS status,
    -- The retries that were begun or are to come. A wait that the service asked for is none, and
    -- a verdict clears them.
    CASE
        WHEN ended.status = 'completed' THEN 0
        WHEN ended.status = 'failed' THEN max(progress.attempts - 1, 0)
        ELSE coalesce(progress.attempts, 0)
    END AS retry_count,
    CASE
        WHEN ended.id IS NULL AND running.id IS NULL AND progress.class IS NOT NULL
            THEN strftime('%Y-%m-%dT%H:%M:%fZ', progress.due_at / 1e6, 'unixepoch')
    END AS next_retry_at,
    CASE WHEN ended.status IS NOT 'completed' THEN progress.class END AS error_class,
    CASE WHEN ended.status IS NOT 'completed' THEN progress.message END AS error,
    ended.reason AS gave_up,
    (SELECT group_concat(value, '; ') FROM json_each(ended.result, '$.differences')) AS differences
FROM steadfast_tasks AS task
LEFT JOIN steadfast_progress AS progress ON progress.id = task.id
LEFT JOIN steadfast_running AS running ON running.id = task.id
LEFT JOIN steadfast_ended AS ended
    ON ended.id = task.id AND ended.status IN ('completed', 'failed', 'cancelled')
WHERE task.kind = 'replay'
ORDER BY task.submitted_at, task.id
