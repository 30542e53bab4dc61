-- Makes due tasks pending, unless their category is held. `now()` and not a volatile clock, so that the bound
-- can use the index.
WITH candidates AS MATERIALIZED (
    SELECT ctid AS tuple FROM steadfast.waiting
     WHERE run_at <= now() AND run_at >= $2
     ORDER BY run_at, id LIMIT $1 FOR UPDATE SKIP LOCKED
),
deleted AS (
    DELETE FROM steadfast.waiting WHERE ctid = ANY (ARRAY(SELECT tuple FROM candidates))
    RETURNING id, queue, rank, submitted_at, category, kind
),
promoted AS MATERIALIZED (
    SELECT g.*, h.until FROM deleted g
      LEFT JOIN steadfast.holds h ON h.queue = g.queue AND h.category = g.category AND h.until > now()
),
ready AS (
    INSERT INTO steadfast.ready (id, queue, rank, submitted_at, category, kind)
    SELECT id, queue, rank, submitted_at, category, kind FROM promoted WHERE until IS NULL
),
tasks AS (
    UPDATE steadfast.tasks t SET scheduled_at = s.until FROM promoted s WHERE t.id = s.id AND s.until IS NOT NULL
),
waiting AS (
    INSERT INTO steadfast.waiting (run_at, id, queue, rank, submitted_at, category, kind)
    SELECT until, id, queue, rank, submitted_at, category, kind FROM promoted WHERE until IS NOT NULL
)
SELECT count(*) FILTER (WHERE until IS NULL), now(), count(*) FROM promoted
