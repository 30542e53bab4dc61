DELETE FROM steadfast_ready
WHERE (queue, rank, submitted_at, id) IN (
    SELECT task.queue, -task.priority, task.submitted_at, task.id
    FROM json_each(?1) AS moved
    CROSS JOIN steadfast_tasks AS task ON task.id = unhex(moved.value)
)
