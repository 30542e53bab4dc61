-- Removes a pending or scheduled task.
WITH task AS (
    SELECT id, queue, priority, submitted_at, scheduled_at FROM steadfast.tasks WHERE id = $1
),
ready AS (
    DELETE FROM steadfast.ready r USING task t
     WHERE r.queue = t.queue AND r.rank = ~t.priority AND r.submitted_at = t.submitted_at AND r.id = t.id
    RETURNING r.id
),
waiting AS (
    DELETE FROM steadfast.waiting w USING task t WHERE w.run_at = t.scheduled_at AND w.id = t.id
    RETURNING w.id
)
SELECT id FROM ready UNION ALL SELECT id FROM waiting
