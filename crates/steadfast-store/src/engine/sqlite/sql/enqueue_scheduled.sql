INSERT INTO steadfast_waiting (due_at, id, queue)
SELECT coalesce(progress.due_at, task.due_at), task.id, task.queue
FROM json_each(?1) AS moved
CROSS JOIN steadfast_tasks AS task ON task.id = unhex(moved.value)
LEFT JOIN steadfast_progress AS progress ON progress.id = task.id
WHERE coalesce(progress.due_at, task.due_at) > ?2
