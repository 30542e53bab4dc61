-- The latest finished tasks of the correlation id ?4 before the key (?1, ?2).
SELECT ended.ended_at, 0, ended.id
FROM steadfast_tasks AS task
CROSS JOIN steadfast_ended AS ended
    ON ended.status IN ('completed', 'failed', 'cancelled') AND ended.id = task.id
WHERE task.correlation_id = ?4 AND (ended.ended_at, ended.id) < (?1, ?2)
ORDER BY ended.ended_at DESC, ended.id DESC
LIMIT ?3
