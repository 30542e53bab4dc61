-- Forgets the oldest of more ended tasks than are kept, without those whose end nobody has noticed.
-- Only the oldest are asked for that: if very many of them were not noticed, the others wait.
WITH surplus AS (
    SELECT least(greatest(count(*) - $1::bigint, 0), $2::bigint) AS many FROM steadfast.ended
),
oldest AS MATERIALIZED (
    SELECT id, ended_at FROM steadfast.ended WHERE (SELECT many FROM surplus) > 0
     ORDER BY ended_at, id LIMIT (SELECT many + 10000 FROM surplus)
),
old AS MATERIALIZED (
    SELECT e.id FROM oldest o JOIN steadfast.ended e ON e.id = o.id
     WHERE NOT EXISTS (SELECT FROM steadfast.nodes WHERE status = 'submitted')
        OR (SELECT n.task FROM steadfast.nodes n WHERE n.task = e.id AND n.status = 'submitted' LIMIT 1) IS NULL
     ORDER BY o.ended_at, o.id LIMIT (SELECT many FROM surplus)
       FOR UPDATE OF e SKIP LOCKED
),
faults AS (
    DELETE FROM steadfast.faults f USING old WHERE f.task = old.id
),
ended AS (
    DELETE FROM steadfast.ended e USING old WHERE e.id = old.id RETURNING e.id
)
DELETE FROM steadfast.tasks t USING ended WHERE t.id = ended.id
