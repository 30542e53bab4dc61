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
    unnoticed AS (
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
        FROM ended CROSS JOIN unnoticed
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
