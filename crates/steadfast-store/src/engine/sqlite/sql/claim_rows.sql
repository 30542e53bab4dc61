SELECT json_group_array(json_array(
    hex(task.id), task.kind, task.payload, queue.name, task.category, task.priority, task.policy,
    task.submitted_at, task.expires_at, task.key, task.correlation_id, task.hold_category,
    progress.attempts, progress.rate_limit_waits, progress.previous,
    coalesce(progress.counted_from, max(task.submitted_at, task.due_at)),
    coalesce(progress.due_at, task.due_at)
))
FROM json_each(?1) AS wanted
CROSS JOIN steadfast_tasks AS task ON task.id = unhex(wanted.value)
CROSS JOIN steadfast_queues AS queue ON queue.number = task.queue
LEFT JOIN steadfast_progress AS progress ON progress.id = task.id
