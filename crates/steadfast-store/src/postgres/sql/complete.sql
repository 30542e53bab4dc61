-- The hot way out of a lease. Whoever has locked a lease sees its latest state, so the check and
-- the write are one step: nobody else settles, seizes or cancels a task of it meanwhile. Grouping
-- is always hashed, where a join of two lists of unknown length may be planned as a product.
WITH held AS MATERIALIZED (
    SELECT version, tasks, done FROM steadfast.leases WHERE version = ANY ($3::bigint[]) ORDER BY version FOR UPDATE
),
theirs AS MATERIALIZED (
    SELECT id, version, max(slot) AS slot FROM (
        SELECT id, version, NULL::int AS slot FROM unnest($1::uuid[], $2::bigint[]) AS g (id, version)
        UNION ALL
        SELECT g.id, h.version, g.slot::int FROM held h CROSS JOIN LATERAL unnest(h.tasks) WITH ORDINALITY AS g (id, slot)
         WHERE get_bit(h.done, g.slot::int - 1) = 0
    ) AS both_sides
     GROUP BY id, version HAVING count(*) = 2
),
ended AS (
    INSERT INTO steadfast.ended (id, ended_at, outcome, result)
    SELECT id, now(), 'completed', ($4::text::jsonb ->> id::text)::json FROM theirs
),
spent AS (
    SELECT t.version, count(*)::int AS tasks, bit_or(set_bit(h.done, t.slot - 1, 1)) AS done
      FROM theirs t JOIN held h ON h.version = t.version GROUP BY t.version
),
emptied AS (
    DELETE FROM steadfast.leases l USING spent s WHERE l.version = s.version AND l.open <= s.tasks
),
shrunk AS (
    UPDATE steadfast.leases l SET open = l.open - s.tasks, done = s.done
      FROM spent s WHERE l.version = s.version AND l.open > s.tasks
)
SELECT id, version FROM theirs
