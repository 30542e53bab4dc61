-- The statements of `prune.rs`, each after its name.

-- name: count
-- The number of rows past their retention, by age first, then by count, without missed completions.
WITH
    ended AS (
        SELECT
            count(*) AS total,
            count(*) FILTER (
                WHERE ended_at < CASE status WHEN 'completed' THEN ?1 ELSE ?2 END
            ) AS aged
        FROM steadfast_ended AS ended
        WHERE NOT EXISTS (
            SELECT 1 FROM steadfast_nodes AS node
            WHERE node.task = ended.id AND node.status = 'submitted'
        )
    ),
    missed AS (
        SELECT count(*) AS many
        FROM steadfast_nodes AS node
        JOIN steadfast_ended AS ended
            ON ended.status IN ('completed', 'failed', 'cancelled') AND ended.id = node.task
        WHERE node.status = 'submitted'
    ),
    records AS (
        SELECT count(*) AS total, count(*) FILTER (WHERE at < ?5) AS aged
        FROM steadfast_records
        GROUP BY kind
    )
SELECT
    (
        SELECT aged + min(total - aged, max(total + many - aged - coalesce(?3, total + many), 0))
        FROM ended CROSS JOIN missed
    ) AS tasks,
    (
        SELECT coalesce(sum(packed.faults), 0)
        FROM steadfast_packed AS packed
        JOIN steadfast_ended AS task
            ON task.status IN ('completed', 'failed', 'cancelled') AND task.id = packed.id
        WHERE packed.ended_at < ?4
            AND task.ended_at >= coalesce(CASE task.status WHEN 'completed' THEN ?1 ELSE ?2 END, 0)
    ) AS faults,
    (
        SELECT coalesce(sum(aged + max(total - aged - coalesce(?6, total), 0)), 0) FROM records
    ) AS records,
    (
        SELECT count(*) FROM steadfast_audit WHERE at < ?7
    ) AS audit

-- name: aged
-- A node that is still submitted has a missed completion, and needs the result.
SELECT json_group_array(json_array(hex(id), ended_at))
FROM (
    SELECT id, ended_at FROM steadfast_ended AS ended
    WHERE status = ?1 AND ended_at < ?2
        AND NOT EXISTS (
            SELECT 1 FROM steadfast_nodes AS node
            WHERE node.task = ended.id AND node.status = 'submitted'
        )
    ORDER BY ended_at
    LIMIT ?3
)

-- name: oldest
-- The oldest tasks of each state, merged, without those with a missed completion.
SELECT json_group_array(json_array(hex(id), ended_at))
FROM (
    SELECT id, ended_at FROM (
        SELECT * FROM (
            SELECT id, ended_at FROM steadfast_ended AS ended
            WHERE status = 'completed'
                AND NOT EXISTS (
                    SELECT 1 FROM steadfast_nodes AS node
                    WHERE node.task = ended.id AND node.status = 'submitted'
                )
            ORDER BY ended_at LIMIT ?1
        )
        UNION ALL
        SELECT * FROM (
            SELECT id, ended_at FROM steadfast_ended AS ended
            WHERE status = 'failed'
                AND NOT EXISTS (
                    SELECT 1 FROM steadfast_nodes AS node
                    WHERE node.task = ended.id AND node.status = 'submitted'
                )
            ORDER BY ended_at LIMIT ?1
        )
        UNION ALL
        SELECT * FROM (
            SELECT id, ended_at FROM steadfast_ended AS ended
            WHERE status = 'cancelled'
                AND NOT EXISTS (
                    SELECT 1 FROM steadfast_nodes AS node
                    WHERE node.task = ended.id AND node.status = 'submitted'
                )
            ORDER BY ended_at LIMIT ?1
        )
    )
    ORDER BY ended_at
    LIMIT ?1
)

-- name: recount
-- Corrects the counters after a program without them has ended or deleted tasks.
UPDATE steadfast_ends SET
    completed = (SELECT count(*) FROM steadfast_ended WHERE status = 'completed'),
    failed = (SELECT count(*) FROM steadfast_ended WHERE status = 'failed'),
    cancelled = (SELECT count(*) FROM steadfast_ended WHERE status = 'cancelled')

-- name: unchanged
-- The tasks that still have the end time with which they were found.
SELECT json_group_array(found.value ->> 0)
FROM json_each(?1) AS found
CROSS JOIN steadfast_ended AS ended
    ON ended.status IN ('completed', 'failed', 'cancelled')
    AND ended.id = unhex(found.value ->> 0)
WHERE ended.ended_at = found.value ->> 1

-- name: audit
-- Scans no more than one batch of the oldest entries.
DELETE FROM steadfast_audit
WHERE number IN (SELECT number FROM steadfast_audit ORDER BY number LIMIT ?2)
    AND at < ?1
RETURNING number, action

-- name: executions
-- Executions past their retention, by age or by count, unless one of their tasks is open. Later ends are
-- not read.
WITH
    excess AS (
        SELECT ended_at AS at, id FROM steadfast_executions
        WHERE ended_at IS NOT NULL AND ?3 IS NOT NULL
        ORDER BY ended_at DESC, id DESC
        LIMIT 1 OFFSET coalesce(?3, 0)
    )
SELECT json_group_array(hex(id))
FROM (
    SELECT id FROM steadfast_executions AS execution
    WHERE execution.ended_at <= max(
            coalesce(?1, 0), coalesce(?2, 0), coalesce((SELECT at FROM excess), 0)
        )
        AND (
            execution.ended_at < CASE execution.status WHEN 'completed' THEN ?1 ELSE ?2 END
            OR (execution.ended_at, execution.id) <= (SELECT at, id FROM excess)
        )
        AND NOT EXISTS (
            SELECT 1 FROM steadfast_nodes
            WHERE steadfast_nodes.execution = execution.id AND status = 'submitted'
        )
    ORDER BY execution.ended_at, execution.id
    LIMIT ?4
)
