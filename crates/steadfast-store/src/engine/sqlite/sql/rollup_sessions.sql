-- The recorded sessions from ?1 to ?2 by policy and subsystem: their own, or the operation up to the first
-- dot. An absurd number is clamped.
SELECT
    substr(policy_id, 1, 255) AS policy_id,
    substr(
        coalesce(subsystem, substr(operation, 1, instr(operation || '.', '.') - 1)), 1, 255
    ) AS subsystem,
    count(*) AS sessions,
    sum(successful) AS successful,
    sum(attempts) AS attempts,
    max(attempts) AS most_attempts,
    total(seconds) AS seconds
FROM (
    SELECT
        body ->> 'policy_id' AS policy_id,
        body ->> 'operation' AS operation,
        CAST(body ->> 'subsystem' AS TEXT) AS subsystem,
        coalesce(body ->> 'success', 0) = 1 AS successful,
        min(max(CAST(coalesce(body ->> 'total_attempts', 0) AS INTEGER), 0), 1000000000000)
            + min(max(CAST(coalesce(body ->> 'forgotten_attempts', 0) AS INTEGER), 0), 1000000000000)
            AS attempts,
        min(max(CAST(coalesce(body ->> 'total_duration', 0) AS REAL), 0), 1e12) AS seconds
    FROM steadfast_records
    WHERE kind = 'session' AND at BETWEEN ?1 AND ?2
)
WHERE policy_id IS NOT NULL AND operation IS NOT NULL
GROUP BY 1, 2
