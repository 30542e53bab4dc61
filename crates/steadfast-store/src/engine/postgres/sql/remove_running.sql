-- Removes a running task from its lease, so that later settlements of it are stale.
WITH locked AS MATERIALIZED (
    SELECT version, open, done, array_position(tasks, $1) AS slot FROM steadfast.leases
     WHERE $1 = ANY (tasks) ORDER BY version FOR UPDATE
),
candidates AS MATERIALIZED (
    SELECT * FROM locked WHERE get_bit(done, slot - 1) = 0
),
deleted AS (
    DELETE FROM steadfast.leases l USING candidates h WHERE l.version = h.version AND h.open <= 1
),
updated AS (
    UPDATE steadfast.leases l SET open = l.open - 1, done = set_bit(h.done, h.slot - 1, 1)
      FROM candidates h WHERE l.version = h.version AND h.open > 1
)
SELECT $1::uuid FROM candidates
