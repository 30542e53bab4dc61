-- Forgets the oldest of more ended tasks than are kept.
WITH surplus AS (
    SELECT least(greatest(count(*) - $1::bigint, 0), $2::bigint) AS many FROM steadfast.ended
),
old AS MATERIALIZED (
    SELECT id FROM steadfast.ended WHERE (SELECT many FROM surplus) > 0
     ORDER BY ended_at, id LIMIT (SELECT many FROM surplus)
       FOR UPDATE SKIP LOCKED
),
faults AS (
    DELETE FROM steadfast.faults f USING old WHERE f.task = old.id
),
ended AS (
    DELETE FROM steadfast.ended e USING old WHERE e.id = old.id RETURNING e.id
)
DELETE FROM steadfast.tasks t USING ended WHERE t.id = ended.id
