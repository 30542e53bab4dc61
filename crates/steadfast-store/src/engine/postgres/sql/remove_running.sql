-- Removes a running task from its lease, so that later settlements of it are stale.
WITH lease AS MATERIALIZED (
    SELECT version, open, done, array_position(tasks, $1) AS slot FROM steadfast.leases
     WHERE $1 = ANY (tasks) ORDER BY version FOR UPDATE
),
held AS MATERIALIZED (
    SELECT * FROM lease WHERE get_bit(done, slot - 1) = 0
),
emptied AS (
    DELETE FROM steadfast.leases l USING held h WHERE l.version = h.version AND h.open <= 1
),
shrunk AS (
    UPDATE steadfast.leases l SET open = l.open - 1, done = set_bit(h.done, h.slot - 1, 1)
      FROM held h WHERE l.version = h.version AND h.open > 1
)
SELECT $1::uuid FROM held
