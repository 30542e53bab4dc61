-- Reschedules the pending tasks of held categories.
WITH holds AS (
    SELECT queue, category, until FROM steadfast.holds WHERE until > now()
),
deleted AS (
    DELETE FROM steadfast.ready r USING holds h WHERE r.queue = h.queue AND r.category = h.category
    RETURNING r.id, r.queue, r.rank, r.submitted_at, r.category, r.kind, h.until
),
tasks AS (
    UPDATE steadfast.tasks t SET scheduled_at = g.until FROM deleted g WHERE t.id = g.id
)
INSERT INTO steadfast.waiting (run_at, id, queue, rank, submitted_at, category, kind)
SELECT until, id, queue, rank, submitted_at, category, kind FROM deleted
