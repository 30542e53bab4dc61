-- Deletes a batch of tasks that ended long enough ago. A node that is still submitted has a missed
-- completion, and needs the result. Each node is probed: many more may be waiting.
WITH old AS MATERIALIZED (
    SELECT e.id FROM steadfast.ended e
     WHERE ended_at < now() - least($1::bigint, $2::bigint) * interval '1 microsecond'
       AND ended_at < now() - CASE outcome WHEN 'completed' THEN $1 ELSE $2 END * interval '1 microsecond'
       AND (NOT EXISTS (SELECT FROM steadfast.nodes WHERE status = 'submitted')
            OR (SELECT n.task FROM steadfast.nodes n WHERE n.task = e.id AND n.status = 'submitted' LIMIT 1) IS NULL)
     ORDER BY ended_at LIMIT $3
       FOR UPDATE OF e SKIP LOCKED
),
faults AS (
    DELETE FROM steadfast.faults f USING old WHERE f.task = old.id
),
ended AS (
    DELETE FROM steadfast.ended e USING old WHERE e.id = old.id RETURNING e.id
)
DELETE FROM steadfast.tasks t USING ended WHERE t.id = ended.id
