-- Every queue by name. A task that waits although its time has come counts as pending.
SELECT
    queue.name,
    queue.paused,
    (SELECT count(*) FROM steadfast_ready WHERE steadfast_ready.queue = queue.number)
        + coalesce(waiting.late, 0) AS pending,
    coalesce(waiting.later, 0) AS scheduled
FROM steadfast_queues AS queue
LEFT JOIN (
    SELECT queue, sum(due_at <= ?1) AS late, sum(due_at > ?1) AS later
    FROM steadfast_waiting
    GROUP BY queue
) AS waiting ON waiting.queue = queue.number
ORDER BY queue.name
