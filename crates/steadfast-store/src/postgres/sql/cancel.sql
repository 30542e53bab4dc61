INSERT INTO steadfast.ended (id, ended_at, outcome, attempts)
SELECT id, now(), 'cancelled', attempts FROM steadfast.tasks WHERE id = $1
