-- The head of every queue, how long it has been due, and the running tasks of the queue. A head that no
-- worker claims shows that there is no worker.
SELECT
    heads.name,
    heads.paused,
    min(coalesce(heads.ready, heads.late), coalesce(heads.late, heads.ready)) AS due_since,
    coalesce(running.tasks, 0) AS running
FROM (
    SELECT
        queue.number,
        queue.name,
        queue.paused,
        (
            SELECT max(task.submitted_at, coalesce(progress.due_at, task.due_at))
            FROM steadfast_ready AS state
            CROSS JOIN steadfast_tasks AS task ON task.id = state.id
            LEFT JOIN steadfast_progress AS progress ON progress.id = state.id
            WHERE state.queue = queue.number AND NOT EXISTS (
                SELECT 1 FROM steadfast_holds AS hold
                WHERE hold.queue = state.queue AND hold.category = state.category
                    AND hold.until > ?1
            )
            ORDER BY state.rank, state.submitted_at, state.id
            LIMIT 1
        ) AS ready,
        (
            SELECT state.due_at
            FROM steadfast_waiting AS state
            WHERE state.queue = queue.number AND state.due_at <= ?1
            ORDER BY state.due_at, state.id
            LIMIT 1
        ) AS late
    FROM steadfast_queues AS queue
) AS heads
LEFT JOIN (
    SELECT task.queue, count(*) AS tasks
    FROM steadfast_running AS state
    CROSS JOIN steadfast_tasks AS task ON task.id = state.id
    GROUP BY task.queue
) AS running ON running.queue = heads.number
ORDER BY heads.name
