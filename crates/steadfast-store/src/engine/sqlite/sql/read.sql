-- Tasks in the order of the list, with their faults (?2) and documents (?3) if requested.
SELECT
    task.id, task.kind, CASE WHEN ?3 THEN task.payload END AS payload, queue.name AS queue, task.category, task.priority,
    task.policy, task.submitted_at, task.expires_at, task.key AS idempotency_key, task.correlation_id,
    task.hold_category,
    coalesce(progress.due_at, task.due_at) AS scheduled_at,
    coalesce(progress.counted_from, max(task.submitted_at, task.due_at)) AS counted_from,
    -- A success is an attempt, too. It is counted here, so that a completion writes only the end.
    coalesce(progress.attempts, 0) + (ended.status IS 'completed') AS attempts,
    coalesce(progress.rate_limit_waits, 0) AS rate_limit_waits,
    CASE WHEN ended.status IS 'completed' THEN ended.ended_at ELSE progress.last_attempt_at END AS last_attempt_at,
    progress.class AS last_class, progress.message AS last_message,
    running.version, lease.owner, lease.until,
    CASE
        WHEN ended.status IS NOT NULL THEN ended.status
        WHEN running.version IS NOT NULL THEN 'running'
        -- Due, and not yet promoted, is pending.
        WHEN coalesce(progress.due_at, task.due_at) > CAST(round(unixepoch('subsec') * 1000000) AS INTEGER)
            THEN 'scheduled'
        ELSE 'pending'
    END AS status,
    ended.ended_at, ended.reason,
    CASE WHEN ?3 THEN ended.result END AS result,
    CASE WHEN ?2 THEN (SELECT body FROM steadfast_packed WHERE id = task.id) END AS packed,
    CASE WHEN ?2 THEN (
        SELECT json_group_array(json_array(at, body))
        FROM (SELECT at, body FROM steadfast_faults WHERE id = task.id ORDER BY number)
    ) ELSE '[]' END AS faults
FROM json_each(?1) AS wanted
CROSS JOIN steadfast_tasks AS task ON task.id = unhex(wanted.value)
CROSS JOIN steadfast_queues AS queue ON queue.number = task.queue
LEFT JOIN steadfast_progress AS progress ON progress.id = task.id
LEFT JOIN steadfast_running AS running ON running.id = task.id
LEFT JOIN steadfast_leases AS lease ON lease.version = running.version
LEFT JOIN steadfast_ended AS ended
    ON ended.status IN ('completed', 'failed', 'cancelled') AND ended.id = task.id
ORDER BY wanted.key
