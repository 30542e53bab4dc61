-- Forgets the oldest of more ended tasks than are kept, without those whose end nobody has noticed.
WITH surplus AS (
    SELECT least(greatest(count(*) - $1::bigint, 0), $2::bigint) AS many FROM steadfast.ended
),
old AS MATERIALIZED (
    SELECT e.id FROM steadfast.ended e
     WHERE (SELECT many FROM surplus) > 0
       AND NOT EXISTS (SELECT FROM steadfast.nodes n WHERE n.task = e.id AND n.status = 'submitted')
     ORDER BY e.ended_at, e.id LIMIT (SELECT many FROM surplus)
       FOR UPDATE OF e SKIP LOCKED
),
faults AS (
    DELETE FROM steadfast.faults f USING old WHERE f.task = old.id
),
ended AS (
    DELETE FROM steadfast.ended e USING old WHERE e.id = old.id RETURNING e.id
)
DELETE FROM steadfast.tasks t USING ended WHERE t.id = ended.id
