WITH task AS (
    UPDATE steadfast.tasks SET scheduled_at = now() WHERE id = $1
    RETURNING id, queue, priority, submitted_at, category, kind
)
INSERT INTO steadfast.ready (id, queue, rank, submitted_at, category, kind)
SELECT id, queue, ~priority, submitted_at, category, kind FROM task
