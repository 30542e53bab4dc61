INSERT INTO steadfast_ready (queue, rank, submitted_at, id, category, kind)
SELECT task.queue, -task.priority, task.submitted_at, task.id, task.category, task.kind
FROM json_each(?1) AS moved
CROSS JOIN steadfast_tasks AS task ON task.id = unhex(moved.value)
LEFT JOIN steadfast_progress AS progress ON progress.id = task.id
WHERE coalesce(progress.due_at, task.due_at) <= ?2
