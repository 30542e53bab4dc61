-- A task that has ended, unless somebody else is at it.
SELECT id FROM steadfast.ended WHERE id = $1 FOR UPDATE SKIP LOCKED
