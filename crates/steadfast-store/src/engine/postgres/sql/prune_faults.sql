-- Deletes the histories of tasks that ended long enough ago; the tasks stay.
WITH old AS MATERIALIZED (
    SELECT e.id FROM steadfast.ended e
     WHERE e.ended_at < now() - $1::bigint * interval '1 microsecond'
       AND (EXISTS (SELECT FROM steadfast.faults f WHERE f.task = e.id)
            OR EXISTS (SELECT FROM steadfast.tasks t WHERE t.id = e.id AND t.packed_faults IS NOT NULL))
     ORDER BY e.ended_at LIMIT $2
       FOR UPDATE OF e SKIP LOCKED
),
loose AS (
    DELETE FROM steadfast.faults f USING old WHERE f.task = old.id
)
UPDATE steadfast.tasks t SET packed_faults = NULL FROM old WHERE t.id = old.id
