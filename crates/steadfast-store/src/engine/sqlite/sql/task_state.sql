SELECT
    running.version,
    CASE
        WHEN ended.status IS NOT NULL THEN ended.status
        WHEN running.version IS NOT NULL THEN 'running'
        WHEN coalesce(progress.due_at, task.due_at) > ?2 THEN 'scheduled'
        ELSE 'pending'
    END AS status
FROM steadfast_tasks AS task
LEFT JOIN steadfast_progress AS progress ON progress.id = task.id
LEFT JOIN steadfast_running AS running ON running.id = task.id
LEFT JOIN steadfast_ended AS ended
    ON ended.status IN ('completed', 'failed', 'cancelled') AND ended.id = task.id
WHERE task.id = ?1
