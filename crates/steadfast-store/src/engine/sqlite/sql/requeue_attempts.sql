-- A success was an attempt, which has to be counted from here on.
INSERT INTO steadfast_progress (id, attempts, last_attempt_at)
SELECT ended.id, 1, ended.ended_at
FROM json_each(?1) AS moved
CROSS JOIN steadfast_ended AS ended
    ON ended.status = 'completed' AND ended.id = unhex(moved.value)
WHERE true
ON CONFLICT (id) DO UPDATE SET
    attempts = attempts + 1,
    last_attempt_at = excluded.last_attempt_at
