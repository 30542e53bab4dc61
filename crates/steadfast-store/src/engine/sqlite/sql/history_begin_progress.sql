INSERT INTO steadfast_progress (
    id, attempts, rate_limit_waits, previous, faults, last_attempt_at, class, message, counted_from
)
SELECT id, ?2, ?3, ?4, ?5, ?6, ?7, ?8, submitted_at FROM steadfast_tasks WHERE id = ?1
