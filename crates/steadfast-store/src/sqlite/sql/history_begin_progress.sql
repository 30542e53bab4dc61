INSERT INTO steadfast_progress (
    id, attempts, rate_limit_waits, previous, faults, last_attempt_at, class, message
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
