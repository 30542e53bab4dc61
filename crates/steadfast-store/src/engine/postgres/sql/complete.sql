-- The hot path of settling. A locked lease has its latest state, so check and write are one step: no
-- other settlement, reclaim or cancel of its tasks runs meanwhile. All facts about a lease come from
-- `held`; the row itself may still be the old one in this statement. Grouping is always hashed, where a
-- join of two lists of unknown length could be planned as a nested loop.
WITH held AS MATERIALIZED (
    SELECT version, open, tasks, done FROM steadfast.leases WHERE version = ANY ($3::bigint[]) ORDER BY version FOR UPDATE
),
theirs AS MATERIALIZED (
    SELECT id, version, max(slot) AS slot, max(result) AS result FROM (
        SELECT id, version, NULL::int AS slot, result
          FROM unnest($1::uuid[], $2::bigint[], $4::text[]) AS g (id, version, result)
        UNION ALL
        SELECT g.id, h.version, g.slot::int, NULL FROM held h CROSS JOIN LATERAL unnest(h.tasks) WITH ORDINALITY AS g (id, slot)
         WHERE get_bit(h.done, g.slot::int - 1) = 0
    ) AS both_sides
     GROUP BY id, version HAVING count(*) = 2
),
ended AS (
    INSERT INTO steadfast.ended (id, ended_at, outcome, result)
    SELECT id, now(), 'completed', result::json FROM theirs
),
spent AS (
    SELECT t.version, h.open - count(*)::int AS open, bit_or(set_bit(h.done, t.slot - 1, 1)) AS done
      FROM theirs t JOIN held h ON h.version = t.version GROUP BY t.version, h.open
),
emptied AS (
    DELETE FROM steadfast.leases l USING spent s WHERE l.version = s.version AND s.open <= 0
),
shrunk AS (
    UPDATE steadfast.leases l SET open = s.open, done = s.done
      FROM spent s WHERE l.version = s.version AND s.open > 0
)
SELECT id, version FROM theirs
