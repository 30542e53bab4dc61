-- The queues with pending tasks, and the head of each.
SELECT json_group_array(json_array(name, number, NULL, json(head)))
FROM (
    SELECT queue.name, queue.number, (
        SELECT json_array(ready.rank, ready.submitted_at, hex(ready.id))
        FROM steadfast_ready AS ready
        WHERE ready.queue = queue.number
        ORDER BY ready.rank, ready.submitted_at, ready.id
        LIMIT 1
    ) AS head
    FROM steadfast_queues AS queue
    WHERE queue.paused = 0 AND (?1 IS NULL OR queue.name IN (SELECT value FROM json_each(?1)))
)
WHERE head IS NOT NULL
