-- The tasks that ended from ?1 to ?2 by policy and subsystem: the kind up to the first dot. Every call is an
-- attempt, including rate limited ones; a completed task was called once more than it failed.
SELECT
    coalesce(substr(policy.body ->> 'id', 1, 255), 'inline') AS policy_id,
    sums.*
FROM (
    SELECT
        task.policy,
        substr(task.kind, 1, instr(task.kind || '.', '.') - 1) AS subsystem,
        count(*) AS sessions,
        sum(ended.status = 'completed') AS successful,
        sum(
            coalesce(progress.attempts + progress.rate_limit_waits, 0)
            + (ended.status = 'completed')
        ) AS attempts,
        max(
            coalesce(progress.attempts + progress.rate_limit_waits, 0)
            + (ended.status = 'completed')
        ) AS most_attempts,
        total(max(
            ended.ended_at
            - coalesce(progress.counted_from, max(task.submitted_at, task.due_at)), 0
        )) / 1e6 AS seconds
    FROM steadfast_ended AS ended
    CROSS JOIN steadfast_tasks AS task ON task.id = ended.id
    LEFT JOIN steadfast_progress AS progress ON progress.id = ended.id
    WHERE ended.status IN ('completed', 'failed', 'cancelled')
        AND ended.ended_at BETWEEN ?1 AND ?2
    GROUP BY 1, 2
) AS sums
CROSS JOIN steadfast_policies AS policy ON policy.number = sums.policy
