-- The statements of `prune.rs`, each after its name.

-- name: aged
-- Deletes a batch of tasks that ended long enough ago. A node that is still submitted has a missed
-- completion, and needs the result. Each node is probed: many more may be waiting.
WITH locked AS MATERIALIZED (
    SELECT e.id FROM steadfast.ended e
     WHERE ended_at < now() - least($1::bigint, $2::bigint) * interval '1 microsecond'
       AND ended_at < now() - CASE outcome WHEN 'completed' THEN $1 ELSE $2 END * interval '1 microsecond'
       AND (NOT EXISTS (SELECT FROM steadfast.nodes WHERE status = 'submitted')
            OR (SELECT n.task FROM steadfast.nodes n WHERE n.task = e.id AND n.status = 'submitted' LIMIT 1) IS NULL)
     ORDER BY ended_at LIMIT $3
       FOR UPDATE OF e SKIP LOCKED
),
faults AS (
    DELETE FROM steadfast.faults f USING locked WHERE f.task = locked.id
),
deleted AS (
    DELETE FROM steadfast.ended e USING locked WHERE e.id = locked.id RETURNING e.id
)
DELETE FROM steadfast.tasks t USING deleted WHERE t.id = deleted.id

-- name: faults
-- Deletes the histories of tasks that ended long enough ago; the tasks stay.
WITH locked AS MATERIALIZED (
    SELECT e.id FROM steadfast.ended e
     WHERE e.ended_at < now() - $1::bigint * interval '1 microsecond'
       AND (EXISTS (SELECT FROM steadfast.faults f WHERE f.task = e.id)
            OR EXISTS (SELECT FROM steadfast.tasks t WHERE t.id = e.id AND t.packed_faults IS NOT NULL))
     ORDER BY e.ended_at LIMIT $2
       FOR UPDATE OF e SKIP LOCKED
),
deleted AS (
    DELETE FROM steadfast.faults f USING locked WHERE f.task = locked.id
)
UPDATE steadfast.tasks t SET packed_faults = NULL FROM locked WHERE t.id = locked.id

-- name: records
-- Deletes records of one kind by age or by count.
DELETE FROM steadfast.records WHERE number IN (
    SELECT number FROM steadfast.records
     WHERE kind = $1
       AND (at < now() - $2::bigint * interval '1 microsecond'
            OR $3::bigint IS NOT NULL AND number <= (SELECT number FROM steadfast.records WHERE kind = $1
                           ORDER BY number DESC OFFSET $3 LIMIT 1))
     ORDER BY number LIMIT $4
)

-- name: count
-- The number of rows past their retention, by age first, then by count, without missed completions.
WITH cutoffs AS (
    SELECT now() - $1::bigint * interval '1 microsecond' AS completed,
           now() - $2::bigint * interval '1 microsecond' AS others,
           now() - $4::bigint * interval '1 microsecond' AS faults,
           now() - $5::bigint * interval '1 microsecond' AS records,
           now() - $7::bigint * interval '1 microsecond' AS audit
),
ended AS (
    SELECT count(*) AS total,
           count(*) FILTER (WHERE e.ended_at < CASE e.outcome WHEN 'completed' THEN d.completed ELSE d.others END) AS aged
      FROM steadfast.ended e, cutoffs d
     WHERE NOT EXISTS (SELECT FROM steadfast.nodes n WHERE n.task = e.id AND n.status = 'submitted')
),
missed AS (
    SELECT count(*) AS many FROM steadfast.nodes n JOIN steadfast.ended e ON e.id = n.task
     WHERE n.status = 'submitted'
),
histories AS (
    SELECT count(*) AS many
      FROM steadfast.ended e, cutoffs d
     WHERE e.ended_at < d.faults
       AND e.ended_at >= coalesce(CASE e.outcome WHEN 'completed' THEN d.completed ELSE d.others END, '-infinity')
       AND (EXISTS (SELECT FROM steadfast.faults f WHERE f.task = e.id)
            OR EXISTS (SELECT FROM steadfast.tasks t WHERE t.id = e.id AND t.packed_faults IS NOT NULL))
),
records AS (
    SELECT count(*) AS total, count(*) FILTER (WHERE r.at < d.records) AS aged
      FROM steadfast.records r, cutoffs d GROUP BY r.kind
)
SELECT (SELECT aged + least(total - aged, greatest(total + many - aged - coalesce($3::bigint, total + many), 0))
          FROM ended, missed) AS tasks,
       (SELECT many FROM histories) AS faults,
       (SELECT coalesce(sum(aged + greatest(total - aged - coalesce($6::bigint, total), 0)), 0)::bigint FROM records) AS records,
       (SELECT count(*) FROM steadfast.audit a, cutoffs d WHERE a.at < d.audit) AS audit

-- name: boundary
-- The newest finished task above the maximum count, if there is one.
WITH excess AS MATERIALIZED (
    SELECT count(*) - $1::bigint AS many FROM steadfast.ended
)
SELECT ended_at, id FROM steadfast.ended
 WHERE (SELECT many FROM excess) > 0
 ORDER BY ended_at, id OFFSET (SELECT greatest(many, 1) - 1 FROM excess) LIMIT 1

-- name: oldest
-- Deletes finished tasks up to the boundary, without those with a missed completion. Only some more are probed
-- for that: with very many missed completions, the others wait.
WITH candidates AS MATERIALIZED (
    SELECT id FROM steadfast.ended
     WHERE ended_at <= $1 AND (ended_at, id) <= ($1, $2)
     LIMIT $3::bigint + CASE WHEN EXISTS (SELECT FROM steadfast.nodes WHERE status = 'submitted') THEN 10000 ELSE 0 END
),
locked AS MATERIALIZED (
    SELECT e.id FROM candidates s JOIN steadfast.ended e ON e.id = s.id
     WHERE NOT EXISTS (SELECT FROM steadfast.nodes WHERE status = 'submitted')
        OR (SELECT n.task FROM steadfast.nodes n WHERE n.task = e.id AND n.status = 'submitted' LIMIT 1) IS NULL
     LIMIT $3
       FOR UPDATE OF e SKIP LOCKED
),
faults AS (
    DELETE FROM steadfast.faults f USING locked WHERE f.task = locked.id
),
deleted AS (
    DELETE FROM steadfast.ended e USING locked WHERE e.id = locked.id RETURNING e.id
)
DELETE FROM steadfast.tasks t USING deleted WHERE t.id = deleted.id

-- name: audit
-- Deletes the oldest audit entries. Scans no more than one batch.
WITH oldest AS MATERIALIZED (
    SELECT number FROM steadfast.audit ORDER BY number LIMIT $2
       FOR UPDATE SKIP LOCKED
)
DELETE FROM steadfast.audit a USING oldest o
 WHERE a.number = o.number AND a.at < now() - $1::bigint * interval '1 microsecond'
RETURNING a.number, a.action

-- name: executions_count
-- The number of executions past their retention.
WITH excess AS (
    SELECT x.ended_at, x.id FROM steadfast.executions x
     WHERE $3::bigint IS NOT NULL AND x.ended_at IS NOT NULL
     ORDER BY x.ended_at DESC, x.id DESC OFFSET $3 LIMIT 1
),
-- Later ends are not read.
latest AS (
    SELECT greatest(now() - least($1::bigint, $2::bigint) * interval '1 microsecond',
                    (SELECT ended_at FROM excess)) AS at
)
SELECT count(*) FROM steadfast.executions x
 WHERE x.ended_at <= (SELECT at FROM latest)
   AND (x.ended_at < now() - CASE x.status WHEN 'completed' THEN $1::bigint ELSE $2::bigint END * interval '1 microsecond'
        OR (x.ended_at, x.id) <= (SELECT ended_at, id FROM excess))
   AND NOT EXISTS (SELECT FROM steadfast.nodes n WHERE n.execution = x.id AND n.status = 'submitted')

-- name: executions
-- Deletes executions past their retention, by age or by count, unless one of their tasks is open.
WITH excess AS (
    SELECT x.ended_at, x.id FROM steadfast.executions x
     WHERE $3::bigint IS NOT NULL AND x.ended_at IS NOT NULL
     ORDER BY x.ended_at DESC, x.id DESC OFFSET $3 LIMIT 1
),
-- Later ends are not read.
latest AS (
    SELECT greatest(now() - least($1::bigint, $2::bigint) * interval '1 microsecond',
                    (SELECT ended_at FROM excess)) AS at
),
locked AS MATERIALIZED (
    SELECT x.id FROM steadfast.executions x
     WHERE x.ended_at <= (SELECT at FROM latest)
       AND (x.ended_at < now() - CASE x.status WHEN 'completed' THEN $1::bigint ELSE $2::bigint END * interval '1 microsecond'
            OR (x.ended_at, x.id) <= (SELECT ended_at, id FROM excess))
       AND NOT EXISTS (SELECT FROM steadfast.nodes n WHERE n.execution = x.id AND n.status = 'submitted')
     ORDER BY x.ended_at, x.id LIMIT $4
       FOR UPDATE SKIP LOCKED
),
nodes AS (
    DELETE FROM steadfast.nodes n USING locked WHERE n.execution = locked.id
)
DELETE FROM steadfast.executions x USING locked WHERE x.id = locked.id
