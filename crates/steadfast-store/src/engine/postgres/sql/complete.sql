-- The hot path of settling. A locked lease has its latest state, so check and write are one step: no
-- other settlement, reclaim or cancel of its tasks runs meanwhile. All facts about a lease come from
-- `locked`; the row itself may still be the old one in this statement. Grouping is always hashed, where a
-- join of two lists of unknown length could be planned as a nested loop.
WITH locked AS MATERIALIZED (
    SELECT version, open, tasks, done FROM steadfast.leases WHERE version = ANY ($3::bigint[]) ORDER BY version FOR UPDATE
),
accepted AS MATERIALIZED (
    SELECT id, version, max(slot) AS slot, max(result) AS result FROM (
        SELECT id, version, NULL::int AS slot, result
          FROM unnest($1::uuid[], $2::bigint[], $4::text[]) AS g (id, version, result)
        UNION ALL
        SELECT g.id, h.version, g.slot::int, NULL FROM locked h CROSS JOIN LATERAL unnest(h.tasks) WITH ORDINALITY AS g (id, slot)
         WHERE get_bit(h.done, g.slot::int - 1) = 0
    ) AS both_sides
     GROUP BY id, version HAVING count(*) = 2
),
ended AS (
    INSERT INTO steadfast.ended (id, ended_at, outcome, result)
    SELECT id, now(), 'completed', result::json FROM accepted
),
remaining AS (
    SELECT t.version, h.open - count(*)::int AS open, bit_or(set_bit(h.done, t.slot - 1, 1)) AS done
      FROM accepted t JOIN locked h ON h.version = t.version GROUP BY t.version, h.open
),
deleted AS (
    DELETE FROM steadfast.leases l USING remaining s WHERE l.version = s.version AND s.open <= 0
),
updated AS (
    UPDATE steadfast.leases l SET open = s.open, done = s.done
      FROM remaining s WHERE l.version = s.version AND s.open > 0
)
SELECT id, version FROM accepted
