-- Where the lines begin. Each rank of each queue is in the order of submission: the first of each is
-- looked up, and none is walked along. What waits although its time has come is about to be made ready.
WITH RECURSIVE heads (queue, rank) AS (
    SELECT line.number, (SELECT min(ready.rank) FROM steadfast_ready AS ready WHERE ready.queue = line.number)
    FROM steadfast_queues AS line
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
    min(
        coalesce(first_ready.oldest, first_late.oldest),
        coalesce(first_late.oldest, first_ready.oldest)
    ) AS oldest_pending
FROM
    (
        SELECT min((
            SELECT min(ready.submitted_at) FROM steadfast_ready AS ready
            WHERE ready.queue = heads.queue AND ready.rank = heads.rank
        )) AS oldest
        FROM heads
        WHERE heads.rank IS NOT NULL
    ) AS first_ready,
    (
        SELECT min(task.submitted_at) AS oldest
        FROM steadfast_waiting AS place
        CROSS JOIN steadfast_tasks AS task ON task.id = place.id
        WHERE place.due_at <= ?1
    ) AS first_late
