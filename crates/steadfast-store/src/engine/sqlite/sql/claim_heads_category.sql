-- The same for each of these categories in a queue.
SELECT json_group_array(json_array(name, number, category, json(head)))
FROM (
    SELECT queue.name, queue.number, wanted.value AS category, (
        SELECT json_array(ready.rank, ready.submitted_at, hex(ready.id))
        FROM steadfast_ready AS ready INDEXED BY steadfast_ready_category
        WHERE ready.queue = queue.number AND ready.category = wanted.value
        ORDER BY ready.rank, ready.submitted_at, ready.id
        LIMIT 1
    ) AS head
    FROM steadfast_queues AS queue
    CROSS JOIN json_each(?2) AS wanted
    WHERE queue.paused = 0 AND (?1 IS NULL OR queue.name IN (SELECT value FROM json_each(?1)))
)
WHERE head IS NOT NULL
