INSERT INTO steadfast_progress (id, due_at)
SELECT task.id, max(moved.value ->> 1, coalesce(hold.until, moved.value ->> 1))
FROM json_each(?1) AS moved
CROSS JOIN steadfast_tasks AS task ON task.id = unhex(moved.value ->> 0)
LEFT JOIN steadfast_holds AS hold
    ON hold.queue = task.queue AND hold.category = task.category AND hold.until > ?2
WHERE true
ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at
