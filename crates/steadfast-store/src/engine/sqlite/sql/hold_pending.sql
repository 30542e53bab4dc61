-- Pending tasks of the same category as one of the given tasks.
SELECT json_group_array(hex(ready.id))
FROM (
    SELECT DISTINCT task.queue, task.category
    FROM json_each(?1) AS named
    CROSS JOIN steadfast_tasks AS task ON task.id = unhex(named.value ->> 0)
    WHERE task.category IS NOT NULL
) AS held
CROSS JOIN steadfast_ready AS ready INDEXED BY steadfast_ready_category
    ON ready.queue = held.queue AND ready.category = held.category
