-- Takes a running task from whoever has it: what is said of it under that lease is stale now.
WITH lease AS MATERIALIZED (
    SELECT l.version, l.open FROM steadfast.leases l WHERE $1 = ANY (l.tasks) ORDER BY l.version FOR UPDATE
),
task AS (
    UPDATE steadfast.tasks t SET settled = l.version
      FROM (SELECT max(version) AS version FROM lease) l
     WHERE t.id = $1 AND t.settled < l.version
       AND NOT EXISTS (SELECT FROM steadfast.ended e WHERE e.id = t.id)
    RETURNING t.id, l.version
),
emptied AS (
    DELETE FROM steadfast.leases l USING task t WHERE l.version = t.version AND l.open <= 1
),
shrunk AS (
    UPDATE steadfast.leases l SET open = l.open - 1 FROM task t WHERE l.version = t.version AND l.open > 1
)
SELECT id FROM task
