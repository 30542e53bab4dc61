-- Where the lines begin, and since when the task that goes next has been due. A line is in the order of
-- submission, not of being due, so one behind the head may be due for longer: to find it the line would
-- have to be walked along, and it may be a million long. The head of each rank says enough. It stays
-- where it is while nobody takes from the line, and so its age grows with the time that nobody does.
-- A paused queue and a held category wait because somebody wants them to.
WITH RECURSIVE heads (queue, rank) AS (
    SELECT line.number, (SELECT min(ready.rank) FROM steadfast_ready AS ready WHERE ready.queue = line.number)
    FROM steadfast_queues AS line
    WHERE NOT line.paused
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
        -- Its time has come, and it is about to be made ready.
        SELECT (
            SELECT place.due_at
            FROM steadfast_waiting AS place
            CROSS JOIN steadfast_queues AS line ON line.number = place.queue
            WHERE place.due_at <= ?1 AND NOT line.paused
            ORDER BY place.due_at
            LIMIT 1
        ) AS since
    ) AS late
