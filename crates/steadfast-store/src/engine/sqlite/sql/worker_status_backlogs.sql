-- The head of every queue, how long it has been due, and the running tasks of the queue. A head that no
-- worker claims shows that there is no worker.
SELECT
    line.name,
    line.paused,
    min(coalesce(line.ready, line.late), coalesce(line.late, line.ready)) AS due_since,
    coalesce(running.tasks, 0) AS running
FROM (
    SELECT
        queue.number,
        queue.name,
        queue.paused,
        (
            SELECT max(task.submitted_at, coalesce(progress.due_at, task.due_at))
            FROM steadfast_ready AS place
            CROSS JOIN steadfast_tasks AS task ON task.id = place.id
            LEFT JOIN steadfast_progress AS progress ON progress.id = place.id
            WHERE place.queue = queue.number AND NOT EXISTS (
                SELECT 1 FROM steadfast_holds AS hold
                WHERE hold.queue = place.queue AND hold.category = place.category
                    AND hold.until > ?1
            )
            ORDER BY place.rank, place.submitted_at, place.id
            LIMIT 1
        ) AS ready,
        (
            SELECT place.due_at
            FROM steadfast_waiting AS place
            WHERE place.queue = queue.number AND place.due_at <= ?1
            ORDER BY place.due_at, place.id
            LIMIT 1
        ) AS late
    FROM steadfast_queues AS queue
) AS line
LEFT JOIN (
    SELECT task.queue, count(*) AS tasks
    FROM steadfast_running AS place
    CROSS JOIN steadfast_tasks AS task ON task.id = place.id
    GROUP BY task.queue
) AS running ON running.queue = line.number
ORDER BY line.name
