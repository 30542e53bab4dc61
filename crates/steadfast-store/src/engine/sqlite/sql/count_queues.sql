-- Every queue by name. A due task before its promotion counts as pending.
SELECT json_group_array(json_array(name, paused, pending, scheduled))
FROM (
    SELECT
        queue.name,
        queue.paused,
        (SELECT count(*) FROM steadfast_ready AS ready WHERE ready.queue = queue.number)
            + coalesce(late.tasks, 0) AS pending,
        queue.waiting - coalesce(late.tasks, 0) AS scheduled
    FROM steadfast_queues AS queue
    LEFT JOIN (
        SELECT queue, count(*) AS tasks
        FROM steadfast_waiting
        WHERE due_at <= ?1
        GROUP BY queue
    ) AS late ON late.queue = queue.number
    ORDER BY queue.name
)
