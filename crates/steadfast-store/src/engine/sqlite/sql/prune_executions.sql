-- Executions past their retention, by age or by count, unless one of their tasks is open. Later ends are
-- not read.
WITH
    surplus AS (
        SELECT ended_at AS at, id FROM steadfast_executions
        WHERE ended_at IS NOT NULL AND ?3 IS NOT NULL
        ORDER BY ended_at DESC, id DESC
        LIMIT 1 OFFSET coalesce(?3, 0)
    )
SELECT json_group_array(hex(id))
FROM (
    SELECT id FROM steadfast_executions AS execution
    WHERE execution.ended_at <= max(
            coalesce(?1, 0), coalesce(?2, 0), coalesce((SELECT at FROM surplus), 0)
        )
        AND (
            execution.ended_at < CASE execution.status WHEN 'completed' THEN ?1 ELSE ?2 END
            OR (execution.ended_at, execution.id) <= (SELECT at, id FROM surplus)
        )
        AND NOT EXISTS (
            SELECT 1 FROM steadfast_nodes
            WHERE steadfast_nodes.execution = execution.id AND status = 'submitted'
        )
    ORDER BY execution.ended_at, execution.id
    LIMIT ?4
)
