DELETE FROM steadfast_waiting
WHERE (due_at, id) IN (
    SELECT coalesce(progress.due_at, task.due_at), task.id
    FROM json_each(?1) AS moved
    CROSS JOIN steadfast_tasks AS task ON task.id = unhex(moved.value)
    LEFT JOIN steadfast_progress AS progress ON progress.id = task.id
)
