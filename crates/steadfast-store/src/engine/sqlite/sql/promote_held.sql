-- Postpones the tasks of held categories until the hold ends.
INSERT INTO steadfast_progress (id, due_at)
SELECT task.id, hold.until
FROM json_each(?1) AS moved
CROSS JOIN steadfast_tasks AS task ON task.id = unhex(moved.value)
CROSS JOIN steadfast_holds AS hold ON hold.queue = task.queue AND hold.category = task.category
WHERE hold.until > ?2
ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at
