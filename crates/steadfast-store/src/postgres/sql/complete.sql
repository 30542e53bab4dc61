-- The hot way out of a lease. Locking the leases first makes the check and the write one step:
-- nobody else settles, seizes or cancels a task of theirs meanwhile. INTERSECT is always hashed,
-- where a join of two lists of unknown length may be planned as a product.
WITH held AS MATERIALIZED (
    SELECT version, tasks FROM steadfast.leases WHERE version = ANY ($3::bigint[]) ORDER BY version FOR UPDATE
),
theirs AS MATERIALIZED (
    SELECT id, version FROM unnest($1::uuid[], $2::bigint[]) AS g (id, version)
    INTERSECT
    SELECT unnest(tasks), version FROM held
),
open AS MATERIALIZED (
    SELECT g.id, g.version, t.attempts
      FROM theirs g JOIN steadfast.tasks t ON t.id = g.id
     WHERE t.settled < g.version AND NOT EXISTS (SELECT FROM steadfast.ended e WHERE e.id = g.id)
),
done AS (
    INSERT INTO steadfast.ended (id, ended_at, outcome, attempts, result)
    SELECT id, now(), 'completed', attempts + 1, ($4::text::jsonb ->> id::text)::json FROM open
),
spent AS (
    SELECT version, count(*)::int AS tasks FROM open GROUP BY version
),
emptied AS (
    DELETE FROM steadfast.leases l USING spent s WHERE l.version = s.version AND l.open <= s.tasks
),
shrunk AS (
    UPDATE steadfast.leases l SET open = l.open - s.tasks
      FROM spent s WHERE l.version = s.version AND l.open > s.tasks
)
SELECT id, version FROM open
