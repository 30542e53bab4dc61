-- Deletes ended tasks up to the boundary, without those with a missed completion. Only some more are probed
-- for that: with very many missed completions, the others wait.
WITH surplus AS MATERIALIZED (
    SELECT id FROM steadfast.ended
     WHERE ended_at <= $1 AND (ended_at, id) <= ($1, $2)
     LIMIT $3::bigint + CASE WHEN EXISTS (SELECT FROM steadfast.nodes WHERE status = 'submitted') THEN 10000 ELSE 0 END
),
old AS MATERIALIZED (
    SELECT e.id FROM surplus s JOIN steadfast.ended e ON e.id = s.id
     WHERE NOT EXISTS (SELECT FROM steadfast.nodes WHERE status = 'submitted')
        OR (SELECT n.task FROM steadfast.nodes n WHERE n.task = e.id AND n.status = 'submitted' LIMIT 1) IS NULL
     LIMIT $3
       FOR UPDATE OF e SKIP LOCKED
),
faults AS (
    DELETE FROM steadfast.faults f USING old WHERE f.task = old.id
),
ended AS (
    DELETE FROM steadfast.ended e USING old WHERE e.id = old.id RETURNING e.id
)
DELETE FROM steadfast.tasks t USING ended WHERE t.id = ended.id
