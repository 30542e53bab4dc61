SELECT json_group_array(
    json_array(moved.value ->> 0, max(moved.value ->> 1, coalesce(progress.due_at, task.due_at)))
)
FROM json_each(?1) AS moved
CROSS JOIN steadfast_tasks AS task ON task.id = unhex(moved.value ->> 0)
LEFT JOIN steadfast_progress AS progress ON progress.id = task.id
