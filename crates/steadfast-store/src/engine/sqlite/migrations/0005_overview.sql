-- Every task with its status, for SQL users; PostgreSQL has the same view. A new version may change the
-- tables, but only adds columns to this view. Ids and times are text here.
CREATE VIEW steadfast_overview AS
SELECT
    lower(
        substr(hex(task.id), 1, 8) || '-' || substr(hex(task.id), 9, 4) || '-'
        || substr(hex(task.id), 13, 4) || '-' || substr(hex(task.id), 17, 4) || '-'
        || substr(hex(task.id), 21)
    ) AS id,
    task.kind, task.payload, queue.name AS queue, task.category, task.priority,
    CASE
        WHEN ended.id IS NOT NULL THEN ended.status
        WHEN running.id IS NOT NULL THEN 'running'
        -- A due task counts as pending even before its promotion.
        WHEN coalesce(progress.due_at, task.due_at) > unixepoch('subsec') * 1e6 THEN 'scheduled'
        ELSE 'pending'
    END AS status,
    ended.reason,
    -- A success is an attempt, too. It is counted here, because a completion does not update `progress`.
    coalesce(progress.attempts, 0) + (ended.status IS 'completed') AS attempts,
    coalesce(progress.rate_limit_waits, 0) AS rate_limit_waits,
    strftime('%Y-%m-%dT%H:%M:%fZ', task.submitted_at / 1e6, 'unixepoch') AS submitted_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(progress.due_at, task.due_at) / 1e6, 'unixepoch')
        AS scheduled_at,
    strftime(
        '%Y-%m-%dT%H:%M:%fZ',
        iif(ended.status IS 'completed', ended.ended_at, progress.last_attempt_at) / 1e6, 'unixepoch'
    ) AS last_attempt_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', ended.ended_at / 1e6, 'unixepoch') AS ended_at,
    strftime('%Y-%m-%dT%H:%M:%fZ', task.expires_at / 1e6, 'unixepoch') AS expires_at,
    progress.class AS last_class, progress.message AS last_message, ended.result,
    task.key AS idempotency_key, task.correlation_id
FROM steadfast_tasks AS task
JOIN steadfast_queues AS queue ON queue.number = task.queue
LEFT JOIN steadfast_progress AS progress ON progress.id = task.id
LEFT JOIN steadfast_running AS running ON running.id = task.id
LEFT JOIN steadfast_ended AS ended
    ON ended.status IN ('completed', 'failed', 'cancelled') AND ended.id = task.id;
