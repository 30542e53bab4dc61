-- Makes due tasks pending, unless their category is held. `now()` and not a volatile clock, so that the bound
-- can use the index.
WITH due AS MATERIALIZED (
    SELECT ctid AS place FROM steadfast.waiting
     WHERE run_at <= now() AND run_at >= $2
     ORDER BY run_at, id LIMIT $1 FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM steadfast.waiting WHERE ctid = ANY (ARRAY(SELECT place FROM due))
    RETURNING id, queue, rank, submitted_at, category, kind
),
sorted AS MATERIALIZED (
    SELECT g.*, h.until FROM gone g
      LEFT JOIN steadfast.holds h ON h.queue = g.queue AND h.category = g.category AND h.until > now()
),
ready AS (
    INSERT INTO steadfast.ready (id, queue, rank, submitted_at, category, kind)
    SELECT id, queue, rank, submitted_at, category, kind FROM sorted WHERE until IS NULL
),
body AS (
    UPDATE steadfast.tasks t SET scheduled_at = s.until FROM sorted s WHERE t.id = s.id AND s.until IS NOT NULL
),
waiting AS (
    INSERT INTO steadfast.waiting (run_at, id, queue, rank, submitted_at, category, kind)
    SELECT until, id, queue, rank, submitted_at, category, kind FROM sorted WHERE until IS NOT NULL
)
SELECT count(*) FILTER (WHERE until IS NULL), now(), count(*) FROM sorted
