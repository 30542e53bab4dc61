-- Requeues finished tasks, at once or spread over time. `$12` is the microseconds between two of them, `$13`
-- resets the attempts, `$14` is a dry run, `$15` keeps future due times. A completion does not update the
-- task row, so its attempt is counted here. The delay is limited to three thousand years.
WITH candidates AS MATERIALIZED (
    SELECT e.id, row_number() OVER (ORDER BY e.id) - 1 AS position
      FROM steadfast.ended e JOIN steadfast.overview v ON v.id = e.id
     WHERE ($1::text IS NULL OR v.status = $1)
       AND ($2::uuid[] IS NULL OR v.id = ANY ($2))
       AND ($3::text IS NULL OR v.queue = $3)
       AND ($4::text IS NULL OR v.category = $4)
       AND ($5::text IS NULL OR v.kind = $5)
       AND ($6::text IS NULL OR v.last_class = $6)
       AND ($7::text IS NULL OR v.correlation_id = $7)
       AND ($8::timestamptz IS NULL OR v.scheduled_at <= $8)
       AND ($9::timestamptz IS NULL OR v.submitted_at >= $9)
       AND ($10::timestamptz IS NULL OR v.ended_at >= $10)
     ORDER BY e.id LIMIT $11::bigint
),
deleted AS (
    DELETE FROM steadfast.ended e USING candidates c WHERE e.id = c.id AND NOT $14
    RETURNING c.id, c.position, e.outcome, e.ended_at
),
tasks AS (
    UPDATE steadfast.tasks t
       SET scheduled_at = greatest(
               now() + least(coalesce((g.position + random()) * $12::double precision, 0), 1e17) * interval '1 microsecond',
               CASE WHEN $15 THEN t.scheduled_at END),
           last_attempt_at = CASE g.outcome WHEN 'completed' THEN g.ended_at ELSE t.last_attempt_at END,
           attempts = CASE WHEN $13 THEN 0 WHEN g.outcome = 'completed' THEN t.attempts + 1 ELSE t.attempts END,
           rate_limit_waits = CASE WHEN $13 THEN 0 ELSE t.rate_limit_waits END,
           previous = CASE WHEN $13 THEN 0 ELSE t.previous END,
           counted_from = CASE WHEN $13 THEN now() ELSE t.counted_from END
      FROM deleted g WHERE t.id = g.id
    RETURNING t.id, t.queue, t.priority, t.submitted_at, t.scheduled_at, t.category, t.kind
),
ready AS (
    INSERT INTO steadfast.ready (id, queue, rank, submitted_at, category, kind)
    SELECT id, queue, ~priority, submitted_at, category, kind FROM tasks WHERE scheduled_at <= now()
),
waiting AS (
    INSERT INTO steadfast.waiting (run_at, id, queue, rank, submitted_at, category, kind)
    SELECT scheduled_at, id, queue, ~priority, submitted_at, category, kind FROM tasks WHERE scheduled_at > now()
)
SELECT (SELECT count(*) FROM candidates), (SELECT count(*) FROM deleted)
