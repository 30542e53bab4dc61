-- Only while the task is still ended: a requeued one continues its history.
WITH old AS (
    SELECT e.id FROM steadfast.ended e WHERE e.id = $1 FOR UPDATE
),
loose AS (
    DELETE FROM steadfast.faults f USING old WHERE f.task = old.id
)
UPDATE steadfast.tasks t SET packed_faults = $2 FROM old WHERE t.id = old.id
