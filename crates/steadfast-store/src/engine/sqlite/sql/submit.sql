-- Tasks as JSON objects. A held category delays its tasks.
INSERT INTO steadfast_tasks (
    id, queue, priority, policy, submitted_at, due_at, expires_at, hold_category,
    kind, category, key, correlation_id, payload
)
SELECT
    unhex(task.value ->> 'id'),
    task.value ->> 'queue',
    task.value ->> 'priority',
    task.value ->> 'policy',
    ?2,
    max(task.value ->> 'due_at', coalesce(hold.until, task.value ->> 'due_at')),
    task.value ->> 'expires_at',
    task.value ->> 'hold_category',
    task.value ->> 'kind',
    task.value ->> 'category',
    task.value ->> 'key',
    task.value ->> 'correlation_id',
    task.value ->> 'payload'
FROM json_each(?1) AS task
LEFT JOIN steadfast_holds AS hold
    ON hold.queue = task.value ->> 'queue'
    AND hold.category = task.value ->> 'category'
    AND hold.until > ?2
