-- Only while the task is still ended: a requeued one continues its history.
WITH locked AS (
    SELECT e.id FROM steadfast.ended e WHERE e.id = $1 FOR UPDATE
),
deleted AS (
    DELETE FROM steadfast.faults f USING locked WHERE f.task = locked.id
)
UPDATE steadfast.tasks t SET packed_faults = $2 FROM locked WHERE t.id = locked.id
