-- The first due times. Claim order is by submission, not by due time, so a later task may be due for
-- longer: to find it the queue would have to be scanned. The head of each rank is enough: while no worker
-- claims, the head stays, and its age grows. Paused queues and held categories are left out.
WITH RECURSIVE heads (queue, rank) AS (
    SELECT queue.number, (SELECT min(ready.rank) FROM steadfast_ready AS ready WHERE ready.queue = queue.number)
    FROM steadfast_queues AS queue
    WHERE NOT queue.paused
    UNION ALL
    SELECT heads.queue, (
        SELECT min(ready.rank) FROM steadfast_ready AS ready
        WHERE ready.queue = heads.queue AND ready.rank > heads.rank
    )
    FROM heads
    WHERE heads.rank IS NOT NULL
)
SELECT
    (SELECT min(due_at) FROM steadfast_waiting WHERE due_at > ?1) AS next_due,
    min(coalesce(head.since, late.since), coalesce(late.since, head.since)) AS due_since
FROM
    (
        SELECT min((
            SELECT max(task.submitted_at, coalesce(progress.due_at, task.due_at))
            FROM steadfast_ready AS ready
            CROSS JOIN steadfast_tasks AS task ON task.id = ready.id
            LEFT JOIN steadfast_progress AS progress ON progress.id = ready.id
            WHERE ready.queue = heads.queue AND ready.rank = heads.rank AND NOT EXISTS (
                SELECT 1 FROM steadfast_holds AS hold
                WHERE hold.queue = ready.queue AND hold.category = ready.category AND hold.until > ?1
            )
            ORDER BY ready.submitted_at, ready.id
            LIMIT 1
        )) AS since
        FROM heads
        WHERE heads.rank IS NOT NULL
    ) AS head,
    (
        -- Due, and not yet promoted.
        SELECT (
            SELECT state.due_at
            FROM steadfast_waiting AS state
            CROSS JOIN steadfast_queues AS queue ON queue.number = state.queue
            WHERE state.due_at <= ?1 AND NOT queue.paused
            ORDER BY state.due_at
            LIMIT 1
        ) AS since
    ) AS late
